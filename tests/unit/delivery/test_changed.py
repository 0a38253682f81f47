import json

import pytest

from commands import changed
from delivery.affected_stacks import AffectedStack
from delivery.git import GitError


@pytest.fixture
def asked(monkeypatch):
    """The stacks that are asked about; all of prod are touched, by five files."""
    stacks = []

    def touched(repository, asked_stacks, base):
        stacks.extend(asked_stacks)
        files = tuple(f"moka/{letter}.py" for letter in "abcde")
        return [AffectedStack(stack, files) for stack in asked_stacks if stack.startswith("prod")]

    monkeypatch.setattr(changed, "affected_stacks", touched)
    return stacks


def test_the_stacks_of_every_environment_are_asked_about_in_rollout_order(asked, moka):
    result = moka("changed", "main", "--without", "local", "--without", "test")

    assert asked[0] == "dev"
    assert not {"local", "test"} & set(asked)
    assert result.out == "prod.shared\nprod.adhoc-a\nprod.batch-b\nprod.batch-a\n"


def test_as_json_they_are_a_matrix(asked, moka):
    first, *_ = json.loads(moka("changed", "main", "--json").out)

    assert first == {"stack": "prod.shared", "environment": "prod"}


def test_what_touches_them_is_shown_on_request(asked, moka):
    assert moka("changed", "main", "--why").out.splitlines()[0] == (
        "prod.shared: moka/a.py, moka/b.py, moka/c.py and 2 more"
    )


def test_while_settings_are_wrong_the_stacks_that_have_a_file_are_asked_about(asked, moka, monkeypatch):
    def wrong(name):
        raise touched_module.InvalidDocument("wrong")

    from delivery import affected_stacks as touched_module

    monkeypatch.setattr(touched_module, "stack_names", wrong)

    moka("changed", "main")

    assert [stack for stack in asked if stack.startswith("prod")] == [
        "prod.adhoc-a",
        "prod.batch-a",
        "prod.batch-b",
        "prod.shared",
    ]


def test_where_git_cannot_say_it_nothing_is_listed(monkeypatch, moka):
    def fail(*_):
        raise GitError("git merge-base failed.")

    monkeypatch.setattr(changed, "affected_stacks", fail)

    result = moka("changed", "nowhere", "--json")

    assert (result.status, result.out, result.err) == (1, "", "git merge-base failed.\n")
