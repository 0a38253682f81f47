"""Environments that are broken in one way are refused, by the rule that is for it and by no other."""

import pytest

from tests.local.policies.broken import BROKEN
from tests.local.policies.refusals import assert_refused_by_its_rule_only, refused_by


@pytest.mark.parametrize("stack", ["local", "staging.shared"])
def test_what_is_not_broken_may_ship(previewed, stack):
    result = previewed(stack)

    assert result.returncode == 0, result.stdout[-3000:] + result.stderr
    assert not refused_by(result)


@pytest.mark.parametrize(
    "stack", ["dev", "staging.batch-a", "staging.adhoc-a", "prod.batch-a", "prod.adhoc-a"]
)
def test_our_other_environments_may_ship_as_they_are(previewed, with_foundation, stack):
    result = previewed(with_foundation(stack))

    assert result.returncode == 0, result.stdout[-3000:] + result.stderr
    assert not refused_by(result)


@pytest.mark.parametrize("name", list(BROKEN)[::6])
def test_an_environment_that_is_broken_is_refused_by_the_rule_for_it_only(previewed, name):
    assert_refused_by_its_rule_only(previewed, name)
