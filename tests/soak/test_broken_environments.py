"""Every environment, broken or not, previewed by the real engine; `make test` has few of those broken."""

import pytest

from tests.local.conftest import cloud, nothing_of_the_callers  # noqa: F401
from tests.local.policies.broken import BROKEN
from tests.local.policies.conftest import engine_with_breaks, previewed, with_foundation  # noqa: F401
from tests.local.policies.refusals import assert_may_ship, assert_refused_by_its_rule_only


@pytest.mark.parametrize("name", BROKEN)
def test_an_environment_that_is_broken_is_refused_by_the_rule_for_it_only(previewed, name):  # noqa: F811
    assert_refused_by_its_rule_only(previewed, name)


@pytest.mark.parametrize("stack", ["dev", "staging.batch-a", "staging.adhoc-a", "prod.adhoc-a"])
def test_our_other_environments_may_ship_as_they_are(previewed, with_foundation, stack):  # noqa: F811
    assert_may_ship(previewed(with_foundation(stack)))
