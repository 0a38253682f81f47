"""Environments that are broken in one way are refused, by the rule that is for it and by no other."""

import pytest

from tests.local.policies.broken import BROKEN
from tests.local.policies.refusals import assert_may_ship, assert_refused_by_its_rule_only


@pytest.mark.parametrize("stack", ["local", "staging.shared"])
def test_what_is_not_broken_may_ship(previewed, stack):
    assert_may_ship(previewed(stack))


def test_prod_may_ship_as_it_is(previewed, with_foundation):
    assert_may_ship(previewed(with_foundation("prod.batch-a")))


@pytest.mark.parametrize("name", list(BROKEN)[::12])
def test_an_environment_that_is_broken_is_refused_by_the_rule_for_it_only(previewed, name):
    assert_refused_by_its_rule_only(previewed, name)
