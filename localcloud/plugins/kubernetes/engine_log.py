"""Messages of the plugin while it works, which the engine shows beside a resource."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import grpc

from localcloud.plugins.protocol import engine_pb2, engine_pb2_grpc


@dataclass
class EngineLog:
    """The engine's log.

    address: of the engine, as it gives it to its plugins.
    """

    address: str

    def info(self, urn: str, sentence: str) -> None:
        """Show a sentence beside a resource."""
        request = engine_pb2.LogRequest(severity=engine_pb2.INFO, message=sentence, urn=urn)
        self._engine.Log(request, timeout=5)

    @cached_property
    def _engine(self) -> Any:
        return engine_pb2_grpc.EngineStub(grpc.insecure_channel(self.address))
