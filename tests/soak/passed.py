"""Which tests have passed on a commit, for a run that goes on where another was cut off: `--left`."""

import os
import subprocess
from pathlib import Path

import pytest

from localcloud.cloud import REPOSITORY

FOLDER = REPOSITORY / ".local" / "soak"


class Passed:
    """A pytest plugin that keeps which tests have passed on this commit, and leaves those out when asked.

    With changes that are not committed nothing is kept: it would not be known of what.
    """

    def __init__(self, record: Path | None, left: bool) -> None:
        self._record = record
        self._left = left

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out what has passed."""
        passed = (
            set(self._record.read_text().splitlines()) if self._record and self._record.exists() else set()
        )
        if self._left and passed:
            config.hook.pytest_deselected(items=[item for item in items if item.nodeid in passed])
            items[:] = [item for item in items if item.nodeid not in passed]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep it at once: who is killed later has passed all the same."""
        if "PYTEST_XDIST_WORKER" in os.environ:
            return  # xdist reports it to the first process, which keeps it
        if self._record and report.when == "call" and report.passed:
            self._record.parent.mkdir(parents=True, exist_ok=True)
            with self._record.open("a") as file:
                file.write(f"{report.nodeid}\n")


def record_of_this_commit(repository: Path = REPOSITORY) -> Path | None:
    """Where it is kept what passed on this commit; None with changes since."""

    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", *arguments], cwd=repository, check=True, capture_output=True, text=True
        ).stdout

    return None if git("status", "--porcelain") else FOLDER / f"{git('rev-parse', 'HEAD').strip()}.txt"
