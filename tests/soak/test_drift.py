"""`local`, its resources of AWS changed or deleted by hand: refresh finds all of it, `up` puts it right."""

import json
import subprocess
from collections import defaultdict

import pytest

from localcloud import commands
from localcloud.aws_server import AwsServer
from localcloud.plugins.aws.provider import Aws
from localcloud.plugins.provider import Target
from tests.support.manual_changes import CHANGES, NOT_DELETED, Hand, Made

STACK = "local"


@pytest.fixture
def engine(copied, monkeypatch):
    """`local`, up with few machines."""
    monkeypatch.setenv("MOKA_MACHINES", "3")
    assert commands.up(copied, STACK, ("--non-interactive",)) == 0
    return copied


def done(engine, *arguments):
    ran = subprocess.run(
        ["pulumi", *arguments, "--stack", STACK, "--non-interactive"],
        cwd=engine.project,
        env=engine.environment(),
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def of_aws(engine):
    """URN -> resource, of all that AWS has."""
    told = json.loads(done(engine, "stack", "export"))["deployment"]["resources"]
    return {
        each["urn"]: Made(each["type"], each["id"], each.get("inputs", {}), each.get("outputs", {}))
        for each in told
        if each["type"].startswith("aws:") and each.get("custom")
    }


def to_do(engine):
    """URNs of what an `up` would make or change."""
    told = json.loads(done(engine, "preview", "--json"))
    return {step["urn"] for step in told["steps"] if step["op"] not in ("same", "read")}


def test_all_that_is_changed_or_deleted_by_hand_is_found_and_put_right(engine):
    there = of_aws(engine)
    missing = {made.type for made in there.values()} - CHANGES.keys()
    assert not missing, f"say in tests/support/manual_changes.py how a person changes {missing}"

    # Of each type one is deleted, where that can be, and the others are changed.
    by_type = defaultdict(list)
    for urn, made in there.items():
        by_type[made.type].append((urn, made))
    hand = Hand(engine.cloud, AwsServer(engine.cloud).url)
    provider = Aws(engine.cloud, hand.endpoint)
    touched = set()
    for type, listed in by_type.items():
        change = CHANGES[type]
        deleted = type not in NOT_DELETED and (len(listed) > 1 or change is None)
        for urn, made in listed[deleted:]:
            if change is not None:
                change(hand, made)
                touched.add(urn)
        if deleted:
            urn, made = listed[0]
            provider.delete(Target(urn, made.id), dict(made.inputs), dict(made.outputs), 0)
            touched.add(urn)

    assert {there[urn].type for urn in touched} == set(by_type)

    done(engine, "refresh", "--yes", "--skip-preview")
    found = to_do(engine)
    assert touched <= found, f"not found: {sorted(touched - found)}"

    done(engine, "up", "--yes", "--skip-preview")
    assert to_do(engine) == set()
    done(engine, "refresh", "--yes", "--skip-preview", "--expect-no-changes")
    assert to_do(engine) == set()
