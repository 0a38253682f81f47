"""Where Archer's database is, and how it is entered."""

import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncpg

CONNECT_SECONDS = 10.0
COMMAND_SECONDS = 30.0


@dataclass(frozen=True, kw_only=True)
class Address:
    """A database.

    host: name, address, or the folder of a Unix socket.
    password: asked for at each connection, as tokens last for 15 minutes; None where none is asked for.
    authority: certificates that the server's must come from; None for a connection without TLS.
    """

    host: str
    port: int = 5432
    database: str = "archer"
    user: str = "archer"
    password: Callable[[], Awaitable[str]] | None = field(default=None, repr=False)
    authority: Path | None = None

    def options(self) -> dict[str, Any]:
        """Arguments of asyncpg, for a connection as for a pool."""
        return {
            "host": self.host,
            "port": self.port,
            "database": self.database,
            "user": self.user,
            "password": self.password,
            "ssl": ssl.create_default_context(cafile=self.authority) if self.authority else False,
            "timeout": CONNECT_SECONDS,
            "command_timeout": COMMAND_SECONDS,
        }

    async def connect(self) -> "asyncpg.Connection[asyncpg.Record]":
        """A connection. Raises OSError and asyncpg.PostgresError."""
        return await asyncpg.connect(**self.options())
