"""Five kills of the engine, with its plugins or without, over `up` and `destroy`; tests/soak has fifty."""

from tests.support.cut_off import network_stack
from tests.support.kills import ONCE, existing, survive


def test_after_kills_there_is_all_of_it_once_and_then_nothing(tmp_path):
    with network_stack(tmp_path) as stack:
        assert survive(stack, "up", 3) == 3
        assert existing(stack) == ONCE
        stack.expect_no_changes()

        assert survive(stack, "destroy", 2) == 2
        assert set(existing(stack).values()) == {0}
