"""What `make test` asks of prod, local and the example of two accounts, of the environments like them."""

import pytest

from tests.support.deployment import SMALLER
from tests.unit.conftest import up  # noqa: F401
from tests.unit.docs.test_network import (  # noqa: F401
    places_of,
    test_every_row_is_about_something_there,
    test_everything_that_has_to_be_reached_is,
    test_nothing_is_reached_that_must_not_be,
)
from tests.unit.stacks.test_permissions import (  # noqa: F401
    test_every_program_of_every_environment_may_do_what_it_calls,
)


@pytest.fixture(params=SMALLER)
def environment(request):
    return request.param


@pytest.fixture(scope="module", params=SMALLER)
def clusters(request, up):  # noqa: F811
    return places_of(up, request.param)
