"""Event loops of tests."""

import asyncio
from contextlib import closing


def run_apart(coroutine):
    """To its end, in a loop of its own: `asyncio.run` would leave none to the tests of components."""
    with closing(asyncio.new_event_loop()) as loop:
        try:
            return loop.run_until_complete(coroutine)
        finally:
            loop.run_until_complete(_end_all_others())


async def _end_all_others():
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
