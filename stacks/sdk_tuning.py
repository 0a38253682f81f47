"""Remedies for two habits of Pulumi's SDK that cost more time the larger an environment is."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import Any

import pulumi

try:
    # What the SDK's own functions wait with, `aws.get_region()` for example. No public name does it.
    from pulumi.runtime.sync_await import _sync_await

    _wait: Callable[[Awaitable[Any]], Any] | None = _sync_await
except ImportError:
    _wait = None


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
