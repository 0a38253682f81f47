"""Where the state of the accounts is, however far the last run came: with backends in memory."""

from dataclasses import dataclass, field

import pytest

from accounts.backend import resources_of
from accounts.bootstrap import PROVIDER, Bootstrap
from accounts.names import AccountNames
from accounts.questions import BootstrapRefused, Questions
from stacks import settings

LOCAL = settings.load("local")
GITHUB = AccountNames(LOCAL, "123456789012").github_provider
STACK = {"type": "pulumi:pulumi:Stack"}
BUCKET = {"type": "aws:s3/bucket:Bucket", "id": "state"}


@dataclass
class Memory:
    """A backend in memory; `fails`: verbs that fail."""

    states: dict = field(default_factory=dict)
    fails: set = field(default_factory=set)
    runs: list = field(default_factory=list)

    def resources(self, stack):
        return resources_of(self.states.get(stack, {}))

    def export(self, stack):
        return self.states[stack]

    def adopt(self, stack, state=None):
        if "adopt" in self.fails:
            raise KeyboardInterrupt
        self.states[stack] = state or {"deployment": {}}

    def forget(self, stack):
        if "forget" in self.fails:
            raise KeyboardInterrupt
        del self.states[stack]

    def run(self, verb, stack, config, *arguments):
        self.runs.append((verb, config))
        if verb == "up":
            self.states[stack] = state(BUCKET)
        return 1 if verb in self.fails else 0


def state(*resources):
    return {"deployment": {"resources": [STACK, *resources]}}


@pytest.fixture
def backends(monkeypatch):
    """A folder and a bucket, which AWS has once it has a state or something was made; and the steps."""
    folder, bucket = Memory(), Memory()
    monkeypatch.setattr(Bootstrap, "in_folder", property(lambda _: folder))
    monkeypatch.setattr(Bootstrap, "in_bucket", property(lambda _: bucket))
    monkeypatch.setattr(Questions, "refuse_other_account", lambda _: None)
    monkeypatch.setattr(
        Questions, "bucket_exists", lambda _: bool(bucket.states or folder.resources("local"))
    )
    monkeypatch.setattr(Questions, "provider_exists", lambda *_: False)
    monkeypatch.setattr(Questions, "others_of_provider", lambda *_: [])
    return folder, bucket, Bootstrap(LOCAL, "Admin", lambda line: None)


def test_the_state_moves_into_the_bucket_once_all_is_made(backends):
    folder, bucket, steps = backends

    assert steps.up()
    assert (folder.states, bucket.resources("local")) == ({}, [BUCKET])


def test_what_failed_half_way_stays_in_the_folder_and_goes_on_there(backends):
    folder, bucket, steps = backends
    folder.fails = {"up"}

    assert not steps.up()
    assert (folder.resources("local"), bucket.states) == ([BUCKET], {})
    folder.fails = set()
    assert steps.up()
    assert (folder.states, bucket.resources("local")) == ({}, [BUCKET])


def test_a_move_that_was_cut_off_before_it_was_written_is_made_by_the_next_run(backends):
    folder, bucket, steps = backends
    bucket.fails = {"adopt"}
    with pytest.raises(KeyboardInterrupt):
        steps.up()

    bucket.fails = set()
    assert steps.up()
    assert (folder.states, bucket.resources("local")) == ({}, [BUCKET])


def test_a_copy_that_a_cut_off_move_left_in_the_folder_is_never_the_state_again(backends):
    folder, bucket, steps = backends
    folder.fails = {"forget"}
    with pytest.raises(KeyboardInterrupt):
        steps.up()

    assert steps.up()
    assert [verb for verb, _ in bucket.runs] == ["up"]
    assert len(folder.runs) == 1


def test_a_preview_before_anything_is_made_leaves_no_stack_behind(backends):
    folder, bucket, steps = backends

    assert steps.preview()
    assert (folder.states, bucket.states) == ({}, {})


def test_everything_goes_from_the_folder_and_first_without_protection(backends):
    folder, bucket, steps = backends
    bucket.states["local"] = state(BUCKET)

    assert steps.take_everything()
    assert [(verb, config["keep"], config["access"]) for verb, config in folder.runs] == [
        ("up", False, False),
        ("destroy", False, False),
    ]
    assert (folder.states, bucket.states, bucket.runs) == ({}, {}, [])


def test_a_destroy_that_failed_is_continued_from_the_folder(backends):
    folder, bucket, steps = backends
    bucket.states["local"] = state(BUCKET)
    folder.fails = {"destroy"}
    assert not steps.take_everything()

    folder.fails = set()
    assert steps.take_everything()
    assert (folder.states, bucket.states) == ({}, {})


def test_an_identity_provider_of_its_own_is_not_one_of_others(backends, monkeypatch):
    folder, bucket, steps = backends
    monkeypatch.setattr(Questions, "provider_exists", lambda *_: True)
    assert steps.up()
    assert folder.runs[0][1]["existingProviders"] == ["123456789012"]

    bucket.states["local"] = state(BUCKET, {"type": PROVIDER, "id": GITHUB})
    assert steps.up()
    assert bucket.runs[0][1]["existingProviders"] == []


def test_an_identity_provider_that_others_use_is_told_to_stay_before_the_roles_go(backends, monkeypatch):
    _, bucket, steps = backends
    bucket.states["local"] = state(BUCKET, {"type": PROVIDER, "id": GITHUB})
    monkeypatch.setattr(Questions, "others_of_provider", lambda *_: ["other"])

    assert steps.take_roles()
    first, second = (config for _, config in bucket.runs)
    assert (first["access"], first["sharedProviders"]) == (True, ["123456789012"])
    assert second["access"] is False


def test_a_bucket_without_any_state_is_refused(backends, monkeypatch):
    _, _, steps = backends
    monkeypatch.setattr(Questions, "bucket_exists", lambda _: True)

    with pytest.raises(BootstrapRefused, match="exists, and no state here knows it"):
        steps.up()
