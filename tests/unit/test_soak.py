"""A soak that was cut off goes on where it was, and its own settings are such as an environment may have."""

import fcntl
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from localcloud.cloud import REPOSITORY
from stacks import settings
from tests.soak import test_two_thousand_nodes
from tests.soak.passed import record_of_this_commit
from tests.soak.whole_machine import WholeMachine

CONFTEST = """
import os, sys
from pathlib import Path

sys.path.insert(0, {repository!r})
from tests.soak.passed import Passed

def pytest_configure(config):
    config.pluginmanager.register(Passed(Path("record.txt"), "LEFT" in os.environ))
"""
TESTS = """
import os

def test_first(): pass
def test_second(): os._exit(1) if "KILLED" in os.environ else None
def test_third(): pass
"""


@pytest.fixture
def soak(tmp_path):
    """Run three tests, of which the second may be the end of the run -> what was printed."""
    (tmp_path / "conftest.py").write_text(CONFTEST.format(repository=str(REPOSITORY)))
    (tmp_path / "test_three.py").write_text(TESTS)

    def run(*options, **variables):
        command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", *options, "."]
        return subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True).stdout

    return run


def test_what_passed_before_a_run_was_killed_is_left_out_of_the_next_when_asked(soak):
    assert "test_first PASSED" in soak(KILLED="1")

    rest = soak(LEFT="1")

    assert "test_first" not in rest
    assert "2 passed, 1 deselected" in rest
    assert "3 passed" in soak()


def test_processes_side_by_side_keep_each_test_once_and_leave_out_the_same(soak, tmp_path):
    assert "3 passed" in soak("--numprocesses", "2")

    assert sorted((tmp_path / "record.txt").read_text().splitlines()) == [
        f"test_three.py::test_{which}" for which in ("first", "second", "third")
    ]
    assert "no tests ran" in soak("--numprocesses", "2", LEFT="1")


def test_what_takes_the_whole_machine_comes_last_and_runs_beside_nothing(tmp_path):
    lock = tmp_path / "soak" / "lock"
    plugin = WholeMachine("test_whole.py", lock)
    whole, other = (SimpleNamespace(path=Path(name)) for name in ("test_whole.py", "test_other.py"))

    @contextmanager
    def running(item):
        run = plugin.pytest_runtest_protocol(item)
        next(run)
        yield
        run.close()

    def may_begin(kind):
        with lock.open() as file:
            try:
                fcntl.flock(file, kind | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
        return True

    with running(other):
        assert may_begin(fcntl.LOCK_SH)
        assert not may_begin(fcntl.LOCK_EX)
    with running(whole):
        assert not may_begin(fcntl.LOCK_SH)
    assert may_begin(fcntl.LOCK_EX)

    items = [whole, other]
    plugin.pytest_collection_modifyitems(items)
    assert items == [other, whole]


def test_nothing_is_kept_of_a_checkout_with_changes(tmp_path):
    def git(*arguments):
        identity = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init")
    git("commit", "--allow-empty", "--message", "one")
    record = record_of_this_commit(tmp_path)
    git("commit", "--allow-empty", "--message", "two")

    assert record is not None
    assert record_of_this_commit(tmp_path) != record
    (tmp_path / "file").touch()
    assert record_of_this_commit(tmp_path) is None


def test_settings_of_two_thousand_machines_are_taken():
    text = test_two_thousand_nodes.settings(settings.path_of("local").read_text())
    groups = settings.parse(text, "stacks/local.yaml", "local").clusters["spark-a"].node_groups
    assert sum(group.maximum for group in groups.values()) == test_two_thousand_nodes.NODES
