"""Waiting for what comes by itself."""

import time


def eventually(true, within: float = 120):
    """The first true answer; the test fails with the last one when none comes."""
    deadline = time.monotonic() + within
    while not (answer := true()):
        assert time.monotonic() < deadline, f"still {answer!r}"
        time.sleep(0.2)
    return answer
