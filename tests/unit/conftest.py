"""Fixtures of component tests: run a program, see which resources it registers."""

from collections.abc import Callable

import pytest

from moka import catalog as charts
from tests.support import recorder


@pytest.fixture(scope="session")
def deploy() -> Callable[[Callable[[], object]], recorder.Recorder]:
    """Run a program -> the recorder with every resource that it registers."""
    return recorder.deploy


@pytest.fixture(scope="session")
def catalog() -> charts.Catalog:
    """The catalog as it is, without a mirror."""
    return charts.read()
