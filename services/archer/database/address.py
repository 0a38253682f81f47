"""Where Archer's database is, and how it is entered."""

import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import asyncpg

AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt"
"""Where nothing else is said."""

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

    @classmethod
    def of(cls, url: str) -> "Address":
        """Of a URL as libpq has it, of whose parameters `host`, `sslmode` and `sslrootcert` are known.

        Raises ValueError for another mode than `verify-full` and `disable`: others believe anybody.
        """
        parts = urlsplit(url)
        query = dict(parse_qsl(parts.query))
        mode = query.get("sslmode", "verify-full")
        if mode not in ("verify-full", "disable"):
            raise ValueError(f"sslmode is {mode}: write verify-full")
        return cls(
            host=query.get("host") or parts.hostname or "",
            port=parts.port or 5432,
            database=parts.path.removeprefix("/") or "archer",
            user=parts.username or "archer",
            authority=Path(query.get("sslrootcert", AUTHORITIES)) if mode == "verify-full" else None,
        )

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


@asynccontextmanager
async def connected(address: Address) -> "AsyncIterator[asyncpg.Connection[asyncpg.Record]]":
    """A connection for as long as the context lasts. Raises as `connect` does."""
    connection = await address.connect()
    try:
        yield connection
    finally:
        await connection.close()
