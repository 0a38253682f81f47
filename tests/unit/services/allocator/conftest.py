import asyncio
from contextlib import contextmanager

import pytest
from archer import Archer, TokenCredentials

from services.allocator import desk, night
from services.archer.database import plans
from tests.support.allocator_stage import CREDENTIALS, WORKFLOWS, fill, make_configuration, write_history
from tests.support.archer import archer
from tests.support.loops import run_apart
from tests.support.moto_server import moto_server
from tests.support.postgresql import PostgreSQL


@pytest.fixture(scope="session")
def postgresql():
    server = PostgreSQL()
    yield server
    server.end()


@pytest.fixture(scope="session")
def bucket(tmp_path_factory):
    """URL of an AWS that has the example's history."""
    folder = tmp_path_factory.mktemp("history")
    write_history(folder)
    with moto_server() as url:
        fill(folder, url)
        yield url


@pytest.fixture
def aws(bucket, monkeypatch):
    """Its clients in here ask that one."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", bucket)
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name.upper(), value)


@pytest.fixture
def beside(postgresql, aws, monkeypatch):
    """Run a function with a client of Archer, which knows the example's workflows, and a configuration.

    Who asks says so in a token.
    """
    real = desk.archer_of

    @contextmanager
    def archer_of(configuration):
        with monkeypatch.context() as patched:
            patched.setattr("archer.IamCredentials", lambda *_: TokenCredentials("olga operators"))
            with real(configuration, patience=2) as client:
                yield client

    monkeypatch.setattr(night, "archer_of", archer_of)

    def run(work, known=WORKFLOWS, **changes):
        async def inside(address):
            async with archer(address) as http:
                url = str(http.base_url)
                configuration = make_configuration(url, **changes)
                for name, offer in configuration.offers.items():
                    await http.pool.run(lambda c, n=name, o=offer: plans.tell(c, n, o.settings))
                with Archer(url, TokenCredentials("olga operators")) as client:
                    if known:
                        await asyncio.to_thread(client.write_workflows, known, "ours")
                    return await asyncio.to_thread(work, client, configuration)

        with postgresql.database_of_today() as address:
            return run_apart(inside(address))

    return run
