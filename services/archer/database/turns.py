"""Who writes a table of what is in force waits for a turn.

Two at once would each end what is there and write what is to hold: of them one would find the other's row in
the way of its own, or take it for what was there before.
"""

from services.archer.database.pool import Connection

IDLE_SECONDS = 10
"""For so long at most others wait for somebody who has the turn and asks nothing, as one that is frozen."""


async def turn(connection: Connection, table: str) -> None:
    """Have nobody else write to a table until the transaction ends; who reads it does not wait.

    https://www.postgresql.org/docs/16/explicit-locking.html#LOCKING-TABLES; who may update it may do so:
    https://www.postgresql.org/docs/16/sql-lock.html
    """
    await connection.execute(f"SET LOCAL idle_in_transaction_session_timeout = '{IDLE_SECONDS}s'")
    await connection.execute(f"LOCK TABLE {table} IN SHARE ROW EXCLUSIVE MODE")
