"""A service ends when Kubernetes says so."""

import asyncio
import signal
from collections.abc import Coroutine
from typing import Any


async def run_until_signal(*work: Coroutine[Any, Any, None]) -> None:
    """Run what a service does until SIGTERM or SIGINT, or until a part of it ends or fails.

    Raises the error of the part that failed; the other parts are cancelled.
    """
    loop = asyncio.get_running_loop()
    signalled = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, signalled.set)
    tasks = [asyncio.create_task(part) for part in work]
    end = asyncio.create_task(signalled.wait())
    try:
        done, _ = await asyncio.wait((*tasks, end), return_when=asyncio.FIRST_COMPLETED)
        for task in done - {end}:
            task.result()
    finally:
        for task in (*tasks, end):
            task.cancel()
        await asyncio.gather(*tasks, end, return_exceptions=True)
