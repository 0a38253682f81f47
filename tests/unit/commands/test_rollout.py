import json
import sys

import pytest

from stacks import stack_files, waves
from stacks.stack_files import missing_files, write_file
from tests.support.sliced_environment import sliced_environment

STACKS = ("local.shared", "local.b", "local.a", "local.c")


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """The folder of stack files of an environment with four stacks; `local` is that environment."""
    monkeypatch.setattr(waves, "load", lambda _: sliced_environment())
    monkeypatch.setattr(stack_files, "path_of", lambda _: tmp_path / "local.yaml")
    return tmp_path


@pytest.fixture
def stack_files_there(folder):
    for path in missing_files(STACKS):
        write_file(path)


def test_nothing_runs_while_a_stack_lacks_its_pulumi_file(folder, moka):
    for name in ("shared", "a"):
        write_file(folder / f"Pulumi.local.{name}.yaml")

    result = moka("rollout", "local", "--", "echo", "ran")

    assert (result.status, result.out) == (1, "")
    assert result.err == (
        "Missing Pulumi stack files: stacks/Pulumi.local.b.yaml, stacks/Pulumi.local.c.yaml; "
        "`make stack-files STACK=local` writes them.\n"
    )


@pytest.mark.usefixtures("stack_files_there")
def test_a_command_runs_for_each_stack_and_the_first_that_fails_ends_it(moka):
    program = "import sys; print('at', sys.argv[1]); sys.exit(3 if sys.argv[1] == 'local.b' else 0)"

    result = moka("rollout", "local", "--", sys.executable, "-c", program, "{stack}")

    assert result.status == 3
    assert [line for line in result.out.splitlines() if line.startswith("at")] == [
        "at local.shared",
        "at local.b",
    ]
    assert "local.b failed. Done: local.shared. Left: local.a, local.c." in result.err


@pytest.mark.usefixtures("stack_files_there")
def test_a_command_gets_its_options_as_they_are_with_what_comes_after_another_double_dash(moka):
    command = (sys.executable, "-c", "import sys; print(sys.argv[1:])", "--wave", "{stack}", "--", "--json")

    result = moka("rollout", "local.a", "--", *command)

    assert result.out == "['--wave', 'local.a', '--', '--json']\n"


def test_ctrl_c_is_left_to_the_command_which_ends_what_is_under_way(monkeypatch):
    from commands import rollout

    ended = []

    class Interrupted(rollout.subprocess.Popen):
        def wait(self, timeout=None):
            if not ended:
                ended.append(True)
                raise KeyboardInterrupt
            return super().wait(timeout)

    monkeypatch.setattr(rollout.subprocess, "Popen", Interrupted)

    assert rollout.run(["local"], [sys.executable, "-c", "import sys; sys.exit(4)"]) == 4


@pytest.mark.usefixtures("stack_files_there")
def test_a_command_that_was_killed_is_a_sentence_and_the_exit_status_of_a_shell(moka):
    result = moka("rollout", "local.a", "--", "sh", "-c", "kill -9 $$")

    assert result.status == 137
    assert "`sh -c` was killed (SIGKILL), by somebody or by the system for want of memory" in result.err


@pytest.mark.usefixtures("stack_files_there")
def test_a_command_that_cannot_be_run_is_one_sentence(moka):
    result = moka("rollout", "local.a", "--", "no-such-program", "{stack}")

    assert (result.status, result.err) == (
        127,
        "no-such-program cannot be run: No such file or directory.\n",
    )


def test_wrong_settings_are_reported_and_nothing_runs(moka):
    result = moka("rollout", "nowhere", "--", "false")

    assert (result.status, result.out) == (1, "")
    assert "Environment 'nowhere' has no settings" in result.err


@pytest.mark.usefixtures("folder")
def test_stacks_are_listed_as_text_and_as_json(moka):
    assert moka("rollout", "local", "--wave", "rest").out == "local.a\nlocal.c\n"

    result = moka("rollout", "local", "--wave", "rest", "--down", "--json")

    assert (result.status, json.loads(result.out)) == (0, ["local.c", "local.a"])
