"""Kills of `local`, with its layers and charts: it converges, nothing is doubled, and nothing left."""

from itertools import cycle

import pytest

from localcloud import commands
from tests.support.kills import VICTIMS, survive
from tests.support.pulumi_stack import PulumiStack, leftovers

pytestmark = pytest.mark.usefixtures("checkpoints")

WRITES = 12
"""Of the state, before each kill, until one comes to its end before that."""


def test_local_comes_up_through_kills_and_goes_down_through_them(copied):
    commands.create(copied, "local")
    stack = PulumiStack(copied, "local")

    assert len(survive(stack, "up", cycle(VICTIMS), lambda _: WRITES)) >= 5
    copy = str(copied.config_file("local"))
    stack.run("preview", "--refresh", "--config-file", copy, "--expect-no-changes")
    assert leftovers(stack.engine, stack.name) == []

    # It has no use for the plugin of EKS, and ends before the next.
    assert len(survive(stack, "destroy", cycle(VICTIMS), lambda _: WRITES)) >= 3
    assert not copied.resources("local")
    assert leftovers(stack.engine, stack.name) == []
