"""Every environment that is broken, in previews of the real engine; `make test` has each sixth of them."""

import pytest

from tests.local.conftest import cloud, nothing_of_the_callers  # noqa: F401
from tests.local.policies.broken import BROKEN
from tests.local.policies.conftest import engine_with_breaks, previewed  # noqa: F401
from tests.local.policies.test_broken_environments import refused_by


@pytest.mark.parametrize("name", BROKEN)
def test_an_environment_that_is_broken_is_refused_by_the_rule_for_it_only(previewed, name):  # noqa: F811
    result = previewed(BROKEN[name].stack, BROKEN=name)

    assert refused_by(result) == {BROKEN[name].rule}, result.stdout[-3000:] + result.stderr
    assert result.returncode != 0
