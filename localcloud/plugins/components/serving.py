"""The server of the plugin: the SDK's own, with errors that are one sentence."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
import grpc.aio
import pulumi
from pulumi.provider import Provider
from pulumi.provider.server import ProviderServicer
from pulumi.runtime.proto import provider_pb2_grpc

from localcloud.errors import Refusal

UNLIMITED = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]


class Servicer(ProviderServicer):
    """The SDK's server for components, without its tracebacks."""

    async def Construct(self, request: Any, context: Any) -> Any:
        return await self._answer(self._construct, request, context)

    async def Call(self, request: Any, context: Any) -> Any:
        return await self._answer(self._call, request, context)

    async def _answer(self, answer: Callable[[Any, Any], Awaitable[Any]], request: Any, context: Any) -> Any:
        # Concurrently, without the SDK's lock: a request is a task of its own, and all that the SDK keeps of
        # the program that it speaks for (settings, configuration, pending calls) is in context variables.
        try:
            return await answer(request, context)
        except Refusal as refusal:
            await context.abort(grpc.StatusCode.UNKNOWN, str(refusal))


def serve(provider: Provider, engine_address: str) -> None:
    """Serve a provider until the engine is gone."""
    asyncio.run(_serve(provider, engine_address))


async def _serve(provider: Provider, engine_address: str) -> None:
    # Five messages a resource, which are never shown, and the SDK waits for the engine to take them.
    pulumi.log.debug = _ignore
    # The engine ends its plugins so; a user's Ctrl-C reaches the engine only.
    signal.signal(signal.SIGINT, lambda *_: os._exit(0))
    engine = os.getppid()
    server = grpc.aio.server(options=UNLIMITED)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(
        Servicer(provider, [], engine_address=engine_address), server
    )
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(port, flush=True)
    while await server.wait_for_termination(timeout=1.0):
        if os.getppid() != engine:
            # The engine was killed: no answer is needed.
            await server.stop(grace=None)


def _ignore(*_: Any, **__: Any) -> None:
    pass
