"""Kills of `local`, with its layers and charts: it converges, nothing is doubled, and nothing left."""

import json

from localcloud import commands
from tests.support.kills import VICTIMS, survive
from tests.support.pulumi_stack import PulumiStack, moka

WRITES = 30
"""Of the state, before each kill: an `up` has some 270."""


def test_local_comes_up_through_kills_and_goes_down_through_them(copied):
    commands.create(copied, "local")
    stack = PulumiStack(copied, "local")

    assert survive(stack, "up", VICTIMS, lambda _: WRITES) == [*VICTIMS]
    copy = str(copied.config_file("local"))
    stack.run("preview", "--refresh", "--config-file", copy, "--expect-no-changes")
    assert _leftovers(stack) == []

    assert survive(stack, "destroy", VICTIMS, lambda _: WRITES) == [*VICTIMS]
    assert stack.state() == []
    assert _leftovers(stack) == []


def _leftovers(stack: PulumiStack) -> list[str]:
    """ARNs of what stands in AWS with the environment's tags, and no stack has."""
    found: list[str] = json.loads(moka(stack.engine, "leftovers", stack.name, "--json").stdout)
    return found
