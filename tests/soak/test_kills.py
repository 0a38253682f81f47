"""Many kills of engine, plugins and servers: nothing is doubled, and nothing left."""

from collections import Counter
from itertools import cycle, islice

import pytest

from tests.soak.sizes import size
from tests.support.cut_off import CLUSTER, network_stack
from tests.support.kills import AWS, CLUSTER_ONCE, VICTIMS, existing_with_cluster, survive

pytestmark = pytest.mark.usefixtures("checkpoints")

KILLS = size("MOKA_KILLS")
UP, DOWN = 5, 4
"""Kills before an `up` and before a `destroy` comes to its end; neither divides the number of victims."""


@pytest.fixture
def stack(tmp_path):
    with network_stack(tmp_path, CLUSTER) as stack:
        yield stack


def test_after_many_kills_there_is_all_of_it_once_and_then_nothing(stack):
    victims, deaths = cycle(VICTIMS), Counter()
    while deaths.total() < KILLS:
        deaths.update(survive(stack, "up", [*islice(victims, UP)]))
        assert existing_with_cluster(stack) == CLUSTER_ONCE
        stack.expect_no_changes()
        deaths.update(survive(stack, "destroy", [*islice(victims, DOWN)]))
        assert set(existing_with_cluster(stack).values()) == {0}
        print(f"{deaths.total()} kills: {dict(deaths)}", flush=True)


def test_after_kills_of_aws_which_takes_all_with_it_all_is_made_anew(stack):
    deaths = survive(stack, "up", [AWS] * 3)
    assert deaths
    assert existing_with_cluster(stack) == CLUSTER_ONCE
    stack.expect_no_changes()

    survive(stack, "destroy", [AWS])
    assert set(existing_with_cluster(stack).values()) == {0}
