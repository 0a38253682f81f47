"""Archer's history of ten million jobs: a job, and lists by owner and by queue, as the service answers."""

import asyncio
import json
import os
import random
import tempfile
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import aiohttp
import asyncpg

from benchmarks.archer import MAX_MILLISECONDS, database
from moka.submission.job_id import id_text
from moka.submission.month import Month
from services.archer.database.address import Address, connected
from services.archer.database.migrate import migrate
from services.archer.database.partitions import statements
from tests.support.archer_load import percentiles
from tests.support.archer_processes import Archer, token
from tests.support.archer_rows import ENDED
from tests.support.oidc_issuer import OidcIssuer

JOBS = int(os.environ.get("MOKA_ARCHER_HISTORY", "10000000"))
DAYS = 50
"""Over which they are spread: 200,000 a day, as Moka has them."""

QUESTIONS = 1000
"""Of each kind of question, one after the other, of jobs, owners and queues by chance."""

QUERIES = {"list by owner": "owner=user{}&limit=100", "list by queue": "queue=org{}.etl&limit=100"}
"""Kind -> query, with a number of one of the owners and queues of tests/support/archer_rows.py."""

SECONDARY = """
SELECT indexdef FROM pg_indexes JOIN pg_class ON relname = indexname
WHERE tablename = 'jobs' AND relkind = 'I' AND indexname <> 'jobs_pkey'
"""


def table() -> str:
    """Measure; the table."""
    with database() as address, tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_measurement(Path(folder), address))


async def _measurement(folder: Path, address: Address) -> str:
    async with OidcIssuer({}, {}) as issuer:
        with Archer(folder, address, issuer.url) as archer:
            await migrate(address)
            began = time.monotonic()
            async with connected(address) as connection:
                await _fill(connection)
                size = await connection.fetchval("SELECT pg_database_size(current_database())")
                ids = [
                    row["id"]
                    for row in await connection.fetch(
                        "SELECT id FROM jobs TABLESAMPLE SYSTEM (1) LIMIT $1", 20 * QUESTIONS, timeout=600
                    )
                ]
            fill_seconds = time.monotonic() - began
            service = await archer.serving()
            headers = {"Authorization": f"Bearer {token(issuer.url)}"}
            async with aiohttp.ClientSession(service.url, headers=headers) as session:
                seconds = await _answer_times(session, ids)
    return _lines(seconds, size, fill_seconds)


async def _fill(connection: "asyncpg.Connection[asyncpg.Record]") -> None:
    """Have the jobs there, a day after the other; indexes are made last, as that is quicker."""
    now = datetime.now(UTC)
    month = Month.of(now - timedelta(days=DAYS))
    while month <= Month.of(now):
        for statement in statements(month, 0):
            await connection.execute(statement)
        month = month.next
    indexes = [row["indexdef"] for row in await connection.fetch(SECONDARY)]
    for index in indexes:
        await connection.execute(f"DROP INDEX {index.split()[2]}")
    for day in range(DAYS):
        start = now - timedelta(days=DAYS - day)
        await connection.execute(ENDED, JOBS // DAYS, start, timeout=3600)
    for index in indexes:
        await connection.execute(index.replace(" ON ONLY ", " ON "), timeout=3600)
    await connection.execute("VACUUM ANALYZE jobs", timeout=3600)
    await connection.execute("VACUUM ANALYZE attempts", timeout=3600)


async def _answer_times(session: aiohttp.ClientSession, ids: list[UUID]) -> dict[str, list[float]]:
    """Kind of question -> seconds of each answer; kinds take turns."""

    async def get() -> None:
        async with session.get(f"/v1/jobs/{id_text(random.choice(ids))}") as answer:
            assert answer.status == 200 and (await answer.json())["state"] == "succeeded"

    def list_question(query: str) -> Callable[[], Awaitable[None]]:
        async def ask() -> None:
            async with session.get(f"/v1/jobs?{query.format(random.randrange(20))}") as answer:
                assert answer.status == 200 and len(json.loads(await answer.read())["jobs"]) == 100

        return ask

    kinds = {"get": get, **{kind: list_question(query) for kind, query in QUERIES.items()}}
    seconds: dict[str, list[float]] = {kind: [] for kind in kinds}
    for _ in range(QUESTIONS):
        for kind, ask in kinds.items():
            began = time.perf_counter()
            await ask()
            seconds[kind].append(time.perf_counter() - began)
    return seconds


def _lines(seconds: dict[str, list[float]], size: int, fill_seconds: float) -> str:
    lines = [
        f"{JOBS:,} jobs that ended in the last {DAYS} days, with an attempt each: {size / 2**30:.1f} GiB, "
        f"made by PostgreSQL itself in {fill_seconds / 60:.0f} min; 1,000 owners, 20 queues; {QUESTIONS:,} "
        "questions of each kind by chance, one after the other, over HTTP with a token; pages of 100 jobs.",
        "",
        "| question | p50 | p99 | at most |",
        "| --- | --- | --- | --- |",
    ]
    for kind, times in seconds.items():
        shares = percentiles(times)
        lines.append(f"| {kind} | {shares['p50']} ms | {shares['p99']} ms | {MAX_MILLISECONDS} ms |")
    return "\n".join(lines) + "\n"
