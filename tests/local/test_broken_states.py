"""States that nobody may build on, in the place of a stack's own: one line each, and nothing is changed."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess, run

import pytest

from localcloud.cloud import REPOSITORY
from localcloud.states import StateFile
from tests.support.cut_off import network_stack, recover
from tests.support.pulumi_stack import PulumiStack

pytestmark = pytest.mark.usefixtures("checkpoints")

PROGRAM = """
import pulumi_aws as aws

bucket = aws.s3.Bucket("data", bucket="broken-state")
aws.s3.BucketPublicAccessBlock("data", bucket=bucket.bucket, block_public_acls=True)
"""


def newer(text: str) -> str:
    return text.replace('"version": 3', '"version": 99', 1)


def of_another_stack(text: str) -> str:
    return text.replace("urn:pulumi:dev::", "urn:pulumi:prod::")


def of_another_project(text: str) -> str:
    return text.replace("::small::", "::large::")


def changed(text: str, change: Callable[[list[dict]], list[dict]]) -> str:
    state = json.loads(text)
    latest = state["checkpoint"]["latest"]
    latest["resources"] = change(latest["resources"])
    return json.dumps(state)


def with_an_entry_twice(text: str) -> str:
    return changed(text, lambda resources: [*resources, resources[-1]])


def without_what_others_need(text: str) -> str:
    return changed(text, lambda resources: [r for r in resources if "Bucket::data" not in r["urn"]])


def cut_short(text: str) -> str:
    return text[: len(text) // 2]


BROKEN = {
    newer: ("use the pulumi that wrote it, or a newer one", "unsupported checkpoint version 99"),
    of_another_stack: ("is that of another stack", "is of another stack"),
    of_another_project: ("bring back that of dev of project small", "is of another stack"),
    with_an_entry_twice: ("::data twice: export it", "duplicate resource urn:pulumi:dev::small::aws:s3"),
    without_what_others_need: ("`pulumi state repair --stack dev` mends it", "refers to missing resource"),
    cut_short: ("cannot be read", "is cut short"),
}
"""What was done to a state -> what `moka recover` says of it, and what the laptop does."""


@pytest.fixture(scope="module")
def stack(tmp_path_factory):
    with network_stack(tmp_path_factory.mktemp("broken"), PROGRAM) as stack:
        stack.up()
        yield stack


@pytest.fixture
def state(stack):
    """The state of the stack, without its copies; it is whole again afterwards."""
    file: StateFile = stack.engine.state_file("dev")
    whole = file.path.read_bytes()
    for copy in (file.backup, file.copy):
        copy.unlink(missing_ok=True)
    yield file.path
    file.path.write_bytes(whole)


def up(stack: PulumiStack) -> CompletedProcess[str]:
    """`make up`, without the set-up."""
    return run(
        [sys.executable, "-m", "localcloud", "--project", str(stack.engine.project), "up", "--stack", "dev"],
        cwd=REPOSITORY,
        env=stack.engine.environment(),
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("damage", BROKEN, ids=lambda damage: damage.__name__)
def test_it_is_one_line_and_nothing_is_changed(stack, state: Path, damage):
    broken = damage(state.read_text())
    state.write_text(broken)
    of_recover, of_laptop = BROKEN[damage]
    for asked, status, said in (
        (recover(stack, "--yes"), 2, of_recover),
        (recover(stack, "--check"), 2, of_recover),
        (up(stack), 1, of_laptop),  # of which make makes 2
    ):
        assert asked.returncode == status
        assert said in asked.stderr
        assert len(asked.stderr.splitlines()) == 1
        assert asked.stdout == ""
        assert state.read_text() == broken
