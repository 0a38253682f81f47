import pytest

from services.archer.database.migrate import migrate
from tests.support.archer import archer
from tests.support.loops import run_apart
from tests.support.postgresql import PostgreSQL


@pytest.fixture(scope="session")
def postgresql():
    server = PostgreSQL()
    yield server
    server.end()


@pytest.fixture
def address(postgresql):
    """A database with the schema of today."""
    with postgresql.database() as address:
        run_apart(migrate(address))
        yield address


@pytest.fixture
def serve(address):
    """Run a coroutine function with a client of a service."""

    def serve(work, **options):
        async def inside():
            async with archer(address, **options) as client:
                return await work(client)

        return run_apart(inside())

    return serve
