"""The engine's protocol: the messages of Pulumi's SDK without the rest of it, which loads twice as long.

The engine starts a plugin for each provider of a stack, so that a stack of twenty clusters starts forty.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pulumi.runtime.proto import (
        engine_pb2,
        engine_pb2_grpc,
        plugin_pb2,
        provider_pb2,
        provider_pb2_grpc,
        status_pb2,
    )
else:
    # To import a package is to load all of it; to find it is not. Its modules name one another relatively.
    __path__ = [str(Path(find_spec("pulumi").origin).parent / "runtime" / "proto")]
    from . import engine_pb2, engine_pb2_grpc, plugin_pb2, provider_pb2, provider_pb2_grpc, status_pb2

__all__ = [
    "engine_pb2",
    "engine_pb2_grpc",
    "plugin_pb2",
    "provider_pb2",
    "provider_pb2_grpc",
    "status_pb2",
]
