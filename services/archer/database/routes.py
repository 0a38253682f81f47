"""Routes that somebody sets: where the jobs of a workflow go, with history."""

from collections.abc import Mapping, Sequence

import asyncpg

from services.archer.database.pool import Connection
from services.archer.database.turns import turn

COLUMNS = "id, workflow, cluster, namespace, queue, architecture, since, why, by, ended, ended_by, plan"

END = "UPDATE routes SET ended = now(), ended_by = $2 WHERE workflow = $1 AND ended IS NULL"

WRITE = f"""
INSERT INTO routes (workflow, cluster, namespace, queue, architecture, since, why, by)
VALUES ($1, $2, $3, $4, $5, now(), $6, $7) RETURNING {COLUMNS}
"""


async def write(connection: Connection, route: Mapping[str, str | None], by: str) -> asyncpg.Record:
    """Have the jobs of a workflow go so from now on; its row.

    route: workflow, cluster, namespace, queue, architecture and why.
    """
    await turn(connection, "routes")
    await connection.execute(END, route["workflow"], by)
    row = await connection.fetchrow(
        WRITE,
        route["workflow"],
        route["cluster"],
        route["namespace"],
        route["queue"],
        route["architecture"],
        route["why"],
        by,
    )
    assert row is not None, "INSERT returns the row"
    return row


async def end(connection: Connection, workflow: str, by: str) -> bool:
    """Have a workflow have no route; whether it had one."""
    return await connection.execute(END, workflow, by) != "UPDATE 0"


async def routes(connection: Connection, workflow: str | None, history: bool) -> Sequence[asyncpg.Record]:
    """Routes, the latest first; with history also those that are no more."""
    return await connection.fetch(
        f"SELECT {COLUMNS} FROM routes WHERE (ended IS NULL OR $1) AND ($2::text IS NULL OR workflow = $2) "
        "ORDER BY id DESC LIMIT 10000",
        history,
        workflow,
    )
