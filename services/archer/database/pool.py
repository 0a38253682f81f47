"""Connections to Archer's database, and transactions that are run again when the database goes away."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeAlias, TypeVar

import asyncpg
import orjson
from botocore.exceptions import BotoCoreError, ClientError

from services.archer.database.address import Address
from services.common.logs import fields

T = TypeVar("T")
Connection: TypeAlias = "asyncpg.pool.PoolConnectionProxy[asyncpg.Record]"

AWAY = (
    OSError,
    TimeoutError,
    asyncpg.InterfaceError,
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    # Of who was frozen in a turn (services/archer/database/turns.py).
    asyncpg.IdleInTransactionSessionTimeoutError,
    # Those of clients that are gone count until the server has seen it.
    asyncpg.TooManyConnectionsError,
    # A writer that has become a reader, after a failover.
    asyncpg.ReadOnlySQLTransactionError,
    # A connection that was told to end, and whose end has not arrived yet; the pool ends it
    # (MagicStack/asyncpg: asyncpg/protocol/coreproto.pyx, _set_state).
    asyncpg.InternalClientError,
    # "PAM authentication failed": RDS takes some 200 new connections a second by IAM
    # (https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/UsingWithRDS.IAMDBAuth.html).
    asyncpg.InvalidAuthorizationSpecificationError,
    # Of credentials that a token is to be signed with, or of the secret that has the password.
    BotoCoreError,
    ClientError,
)
"""Errors of a database that is being started anew, fails over, or is not reached, and of the way into it."""

AGAIN = (*AWAY, asyncpg.SerializationError, asyncpg.DeadlockDetectedError)

FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = 0.1, 2.0

log = logging.getLogger(__name__)


class Away(Exception):
    """The database did not answer for as long as was waited."""


class Pool:
    """Connections, as many as are needed at once."""

    def __init__(self, pool: "asyncpg.Pool[asyncpg.Record]") -> None:
        self._pool = pool
        self._last_answer = time.monotonic()

    @property
    def silent_seconds(self) -> float:
        """Since the database last did what it was asked."""
        return time.monotonic() - self._last_answer

    async def run(self, work: Callable[[Connection], Awaitable[T]], patience_seconds: float = 20.0) -> T:
        """What `work` makes of a transaction of its own; it may run several times.

        So its statements must come to the same if they have been committed before: a connection that is cut
        off does not say whether they were. Raises Away.
        """
        deadline = asyncio.get_running_loop().time() + patience_seconds
        wait = FIRST_WAIT_SECONDS
        while True:
            try:
                async with (
                    self._pool.acquire(timeout=patience_seconds) as connection,
                    connection.transaction(),
                ):
                    result = await work(connection)
                self._last_answer = time.monotonic()
                return result
            except AGAIN as error:
                if asyncio.get_running_loop().time() + wait > deadline:
                    raise Away(str(error) or type(error).__name__) from error
                log.warning("database away", extra=fields(error=error))
                if isinstance(error, asyncpg.ReadOnlySQLTransactionError):
                    await self._pool.expire_connections()
            await asyncio.sleep(wait)
            wait = min(wait * 2, LONGEST_WAIT_SECONDS)

    async def fetch(self, statement: str, *arguments: object) -> list[asyncpg.Record]:
        """Rows of a statement that only reads. Raises Away."""

        async def read(connection: Connection) -> list[asyncpg.Record]:
            return await connection.fetch(statement, *arguments)

        return await self.run(read)


@asynccontextmanager
async def pool(address: Address, size: int = 8) -> AsyncIterator[Pool]:
    """A pool of at most so many connections; the database need not be there yet."""
    connections = asyncpg.create_pool(
        **address.options(), min_size=0, max_size=size, init=_init, max_inactive_connection_lifetime=300
    )
    await connections
    try:
        yield Pool(connections)
    finally:
        await connections.close()


async def _init(connection: Any) -> None:
    await connection.set_type_codec(
        "jsonb", schema="pg_catalog", encoder=_dump, decoder=orjson.loads, format="text"
    )


def _dump(value: Any) -> str:
    return orjson.dumps(value).decode()
