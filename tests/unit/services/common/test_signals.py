import asyncio
import os
import signal
from contextlib import closing

import pytest

from services.common.signals import run_until_signal


def run(*work):
    """In a loop of its own: `asyncio.run` would leave none to the tests of components."""
    with closing(asyncio.new_event_loop()) as loop:
        return loop.run_until_complete(asyncio.wait_for(run_until_signal(*work), 30))


async def work(end, ended):
    """Does something, and then waits for ever."""
    try:
        end()
        await asyncio.Event().wait()
    finally:
        ended.append(True)


def fail():
    raise ValueError("no database")


def test_sigterm_ends_all_parts():
    ended = []

    run(work(lambda: os.kill(os.getpid(), signal.SIGTERM), ended), work(lambda: None, ended))

    assert ended == [True, True]


def test_a_part_that_fails_ends_the_others_and_is_told():
    ended = []

    with pytest.raises(ValueError, match="no database"):
        run(work(fail, ended), work(lambda: None, ended))

    assert ended == [True, True]
