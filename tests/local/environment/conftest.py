"""`local` brought up once, for all tests of this folder, which one process runs: see tests/conftest.py."""

from collections.abc import Iterator

import pytest

from localcloud import commands
from localcloud.cloud import Cloud
from localcloud.engine import Engine


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever looks at `local` runs before the test that takes it down."""
    items.sort(key=lambda item: item.get_closest_marker("takes_local_down") is not None)


@pytest.fixture(scope="session")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """`local`, up on a cloud of its own, as `make up` brings it up."""
    cloud = Cloud(tmp_path_factory.mktemp("local"))
    engine = Engine(cloud)
    try:
        assert commands.up(engine, "local", ("--non-interactive",)) == 0
        yield engine
    finally:
        commands.stop(engine)
