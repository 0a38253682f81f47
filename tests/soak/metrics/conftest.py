"""One laptop whose metrics come into a Prometheus, for all tests of this folder."""

from collections.abc import Iterator

import pytest

from tests.support.laptop_metrics import Laptop, laptop_metrics


@pytest.fixture(scope="package")
def laptop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Laptop]:
    """A Prometheus that has series of every program."""
    with laptop_metrics(tmp_path_factory.mktemp("metrics")) as laptop:
        yield laptop
