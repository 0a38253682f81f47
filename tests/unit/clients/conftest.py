"""Archer's service on loopback, for its client: real HTTP, and a real PostgreSQL."""

import asyncio
import threading

import pytest

from services.archer.service import log_store
from tests.support.archer import archer
from tests.support.log_objects import PLACE, log_objects
from tests.support.loops import run_apart
from tests.support.moto_server import moto_server
from tests.support.postgresql import PostgreSQL


@pytest.fixture(scope="module")
def postgresql():
    server = PostgreSQL()
    yield server
    server.end()


@pytest.fixture(scope="module")
def s3():
    with moto_server() as url:
        yield url


@pytest.fixture
def objects(s3, monkeypatch):
    """Logs of application spark-0a1b2c, of which new ones are seen at once."""
    monkeypatch.setattr(log_store, "LOOK_SECONDS", 0.05)
    with log_objects(s3, monkeypatch, "spark-0a1b2c") as objects:
        yield objects


class Service:
    """url: of the service. run: a coroutine function with its connections, in its loop -> what it returns."""

    def __init__(self, url, loop, pool):
        self.url = url
        self._loop = loop
        self._pool = pool

    def run(self, work):
        return asyncio.run_coroutine_threadsafe(work(self._pool), self._loop).result(30)


@pytest.fixture
def service(postgresql):
    started, ended = threading.Event(), asyncio.Event()
    kept = []

    async def serve(address):
        async with archer(address, logs=PLACE) as client:
            kept.append(Service(str(client.base_url), asyncio.get_running_loop(), client.pool))
            started.set()
            await ended.wait()

    with postgresql.database_of_today() as address:
        thread = threading.Thread(target=lambda: run_apart(serve(address)))
        thread.start()
        assert started.wait(60), "the service did not start"
        yield kept[0]
        kept[0]._loop.call_soon_threadsafe(ended.set)
        thread.join()
