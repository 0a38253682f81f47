"""Remedies for habits of Pulumi's SDK: three cost time in large environments, one hides what failed."""

import asyncio
import os
import sys
import traceback
from collections import deque
from collections.abc import Awaitable, Callable
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

import grpc
import pulumi
from pulumi.runtime import resource, settings
from pulumi.runtime.proto import source_pb2

try:
    # What the SDK's own functions wait with, `aws.get_region()` for example. No public name does it.
    from pulumi.runtime.sync_await import _sync_await

    _wait: Callable[[Awaitable[Any]], Any] | None = _sync_await
except ImportError:
    _wait = None

SHUT_DOWN = "resource monitor shut down"
"""What the engine answers to who waits for a component as the update fails."""


def silence_debug_messages() -> None:
    """Keep the SDK's debug messages from the engine, unless `MOKA_DEBUG` is set.

    It sends five for each resource, waits for the engine to take each, and only `pulumi --debug` shows them.
    """
    if not os.environ.get("MOKA_DEBUG"):
        pulumi.log.debug = _ignore


def flush_registrations() -> None:
    """Send the resources registered so far to the engine, while the program goes on.

    Otherwise none is sent before the program's end; and as the SDK then finds no request under way, it looks
    through all outputs that are still pending whenever one of them resolves: the square of their number.
    """
    if _wait is not None:
        _wait(asyncio.sleep(0))


def shorten_stack_traces(outermost: str) -> None:
    """Send of a resource's stack trace what is within a file's function; outermost: path of the file.

    The rest is the SDK and Python, the same for all, and a fifth of the state, which the engine writes anew
    for each resource. The SDK's own traces also look for the text of each line, which they have no use for:
    a tenth of what the program takes.
    """
    if hasattr(resource, "_get_stack_trace"):
        resource._get_stack_trace = partial(_stack_trace, outermost)


def _stack_trace(outermost: str) -> source_pb2.StackTrace:
    """The trace of a resource under construction, from where its class is called on, as the SDK's is."""
    frames = (frame for frame, _ in traceback.walk_stack(sys._getframe()))
    constructors = (frame for frame in frames if frame.f_code.co_name == "__init__")
    # Of Resource, of CustomResource or ComponentResource, and of the class itself.
    deque(islice(constructors, 3), maxlen=0)
    trace = source_pb2.StackTrace()
    for frame in frames:
        path = frame.f_code.co_filename
        if path != outermost or not trace.frames:
            trace.frames.append(source_pb2.StackFrame(pc=_position(path, frame.f_lineno)))
        if path == outermost:
            break
    return trace


def _position(path: str, line: int) -> source_pb2.SourcePosition | None:
    uri = _uri(path)
    return source_pb2.SourcePosition(uri=uri, line=line) if uri else None


@cache
def _uri(path: str) -> str | None:
    file = Path(path)
    return file.as_uri() if file.is_absolute() else None


def end_without_traceback() -> None:
    """Have the program end in a line where the engine ends it, which has said why.

    The SDK does so for most resources, by the status UNAVAILABLE. Where a component of a plugin fails, as of
    pulumi_eks, the engine answers UNKNOWN (`constructDone` in pkg/resource/deploy/source_eval.go of
    github.com/pulumi/pulumi), and the SDK shows that as the program's own failure, in fifty lines of
    traceback beside the cause.
    """
    original = getattr(settings, "grpc_error_to_exception", None)
    if original is not None and original is not _as_exception:
        settings.grpc_error_to_exception = _as_exception


def _as_exception(exn: Any) -> Exception:
    if exn.code() == grpc.StatusCode.UNAVAILABLE or exn.details() == SHUT_DOWN:
        return pulumi.RunError("The engine ended the program, as something failed.")
    return Exception(exn.details())


def wait_for_stack() -> None:
    """Wait until the engine has the stack itself, and has written that down.

    A program that reads its own stack's outputs would else read the state as it is written: on a file backend
    that ends in "failed to load checkpoint: EOF".
    """
    stack = pulumi.runtime.get_root_resource()
    if _wait is not None and stack is not None:
        _wait(stack.urn.future())


def _ignore(*_: Any, **__: Any) -> None:
    pass
