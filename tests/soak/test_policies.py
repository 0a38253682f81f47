"""What `make test` asks of some environments' previews, of the others too."""

import pytest

from tests.local.conftest import cloud  # noqa: F401
from tests.local.policies.conftest import engine_with_breaks, previewed, with_foundation  # noqa: F401
from tests.local.policies.refusals import assert_may_ship


@pytest.mark.parametrize("stack", ["dev", "staging.batch-a", "staging.adhoc-a", "prod.adhoc-a"])
def test_our_other_environments_may_ship_as_they_are(previewed, with_foundation, stack):  # noqa: F811
    assert_may_ship(previewed(with_foundation(stack)))
