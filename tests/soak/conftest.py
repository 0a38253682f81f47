"""What takes longer than a test may, on clouds of its own."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from localcloud import commands
from localcloud.cloud import Cloud
from localcloud.engine import Engine
from tests.soak.passed import FOLDER, Passed, record_of_this_commit
from tests.soak.whole_machine import WholeMachine
from tests.support.laptop_variables import (
    checkpoints,
    memory_for_time,
    nothing_of_the_callers,
    state_at_the_end,
)
from tests.support.pulumi_project import copy_project

__all__ = ["checkpoints", "memory_for_time", "nothing_of_the_callers", "state_at_the_end"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Option `--left`."""
    parser.addoption("--left", action="store_true", help="leave out what has passed on this commit")


def pytest_configure(config: pytest.Config) -> None:
    """Keep what passes, and run two thousand machines beside nothing else."""
    config.pluginmanager.register(Passed(record_of_this_commit(), config.getoption("--left")))
    config.pluginmanager.register(WholeMachine("test_two_thousand_nodes.py", FOLDER / "lock"))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Show at once why a test failed: the end may be hours away."""
    if report.failed and "PYTEST_XDIST_WORKER" not in os.environ:
        print(f"\n{report.longreprtext}", file=sys.stderr, flush=True)


def copy_of_the_project(folder: Path) -> Iterator[Engine]:
    """An engine on a cloud of its own, started and ended, whose project is a copy of this one."""
    project = copy_project(folder / "moka")
    engine = Engine(Cloud(folder / "cloud"), project)
    commands.start(engine)
    yield engine
    commands.stop(engine)


@pytest.fixture
def progress(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """Print a line while the test runs, with the load of the machine.

    To stderr: the standard output of xdist's processes goes nowhere.
    """

    def line(text: str) -> None:
        with capsys.disabled():
            print(f"load {os.getloadavg()[0]:.1f}: {text}", file=sys.stderr, flush=True)

    return line


@pytest.fixture
def copied(tmp_path: Path) -> Iterator[Engine]:
    """An engine, on a cloud of its own, whose project is a copy of this one that a test may change."""
    yield from copy_of_the_project(tmp_path)


@pytest.fixture(scope="module")
def copied_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """The same, for all tests of a module."""
    yield from copy_of_the_project(tmp_path_factory.mktemp("copied"))
