"""Every environment that is broken, in previews of the real engine; `make test` has each sixth of them."""

import pytest

from tests.local.conftest import cloud, nothing_of_the_callers  # noqa: F401
from tests.local.policies.broken import BROKEN
from tests.local.policies.conftest import engine_with_breaks, previewed  # noqa: F401
from tests.local.policies.refusals import assert_refused_by_its_rule_only


@pytest.mark.parametrize("name", BROKEN)
def test_an_environment_that_is_broken_is_refused_by_the_rule_for_it_only(previewed, name):  # noqa: F811
    assert_refused_by_its_rule_only(previewed, name)
