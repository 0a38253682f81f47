"""What `make test` asks of prod, local and the example of two accounts, of the environments like them."""

import pytest

from tests.support.deployment import SMALLER
from tests.unit.conftest import up  # noqa: F401
from tests.unit.test_environments import (  # noqa: F401
    clusters,
    test_every_program_may_do_what_it_calls,
    test_every_row_is_about_something_there,
    test_everything_that_has_to_be_reached_is,
    test_nothing_is_reached_that_must_not_be,
)


@pytest.fixture(scope="module", params=SMALLER)
def account(request, up):  # noqa: F811
    """An environment that is up."""
    return up(request.param)
