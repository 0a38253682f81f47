"""Tests that take the whole machine, however many processes share out the others."""

import fcntl
from collections.abc import Generator
from pathlib import Path

import pytest


class WholeMachine:
    """A pytest plugin that has the tests of one file run beside no others.

    They come last, wait for what runs in another process, and what is left there waits for them.
    """

    def __init__(self, file: str, lock: Path) -> None:
        """file: its name. lock: a file for all processes, which is made."""
        self._file = file
        self._lock = lock

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Have them at the end."""
        items.sort(key=self._is_whole)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Hold the lock by oneself, or with all the others."""
        self._lock.parent.mkdir(parents=True, exist_ok=True)
        with self._lock.open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX if self._is_whole(item) else fcntl.LOCK_SH)
            return (yield)

    def _is_whole(self, item: pytest.Item) -> bool:
        return item.path.name == self._file
