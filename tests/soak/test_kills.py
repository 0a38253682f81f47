"""Fifty kills of the engine, with its plugins or without: nothing is doubled, and nothing left."""

import pytest

from tests.support.cut_off import network_stack
from tests.support.kills import ONCE, existing, survive


@pytest.fixture
def stack(tmp_path):
    with network_stack(tmp_path) as stack:
        yield stack


def test_after_fifty_kills_there_is_all_of_it_once_and_then_nothing(stack):
    kills = 0
    while kills < 50:
        kills += survive(stack, "up", 12)
        assert existing(stack) == ONCE
        stack.expect_no_changes()
        kills += survive(stack, "destroy", 8)
        assert set(existing(stack).values()) == {0}
