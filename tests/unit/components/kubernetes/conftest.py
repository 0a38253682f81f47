import pytest

from components.kubernetes import catalog as charts


@pytest.fixture(scope="session")
def catalog():
    """The catalog as it is, without a mirror."""
    return charts.read()
