"""Messages of the plugin while it works, which the engine shows beside a resource."""

from collections.abc import Callable

import grpc

from localcloud.plugins.protocol import engine_pb2, engine_pb2_grpc


def engine_log(address: str) -> Callable[[str, str], None]:
    """Shows a sentence beside the resource of a URN, in the log of the engine at this address."""
    engine = engine_pb2_grpc.EngineStub(grpc.insecure_channel(address))

    def show(urn: str, sentence: str) -> None:
        engine.Log(engine_pb2.LogRequest(severity=engine_pb2.INFO, message=sentence, urn=urn), timeout=5)

    return show
