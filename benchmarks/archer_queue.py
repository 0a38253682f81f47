"""Claiming from a queue in which a million jobs wait, beside claiming from one of a thousand."""

import asyncio
import time
from dataclasses import dataclass, field
from statistics import median

from services.archer.database import claims
from services.archer.database.address import Address, connected
from services.archer.database.claims import Claim, Pace
from services.archer.database.migrate import migrate
from services.archer.database.pool import Connection, Pool, pool
from tests.support.archer_rows import WAITING
from tests.support.postgresql import PostgreSQL

SIZES = (1_000, 1_000_000)
CLAIMS = 200
"""Of each, in turns."""

JOBS = 50
"""A claim, as a worker takes them."""

LEAST = 0.9
CLUSTER = "spark-a"
PACE = Pace(
    operator="spark-operator",
    namespaces=("spark-jobs",),
    rate=1e9,
    burst=1e9,
    namespace_rate=1e9,
    namespace_burst=1e9,
    unacknowledged=10**9,
)


@dataclass
class Queue:
    """A queue and the seconds of each claim from it."""

    pool: Pool
    size: int
    seconds: list[float] = field(default_factory=list)
    jobs: int = 0

    async def claim(self) -> None:
        """Claim once; as many come as have gone."""
        start = time.perf_counter()
        claimed = await self.pool.run(
            lambda connection: claims.claim(connection, CLUSTER, PACE, {}, "bench", JOBS)
        )
        self.seconds.append(time.perf_counter() - start)
        self.jobs += len(claimed)
        await self.pool.run(lambda connection: _end(connection, claimed))


def table() -> str:
    """Measure; the table."""
    server = PostgreSQL()
    try:
        with server.database() as small, server.database() as large:
            return asyncio.run(_measurement((small, large)))
    finally:
        server.end()


async def _measurement(addresses: tuple[Address, Address]) -> str:
    small, large = addresses
    await migrate(small)
    await migrate(large)
    async with pool(small, 1) as few, pool(large, 1) as many:
        queues = [Queue(address, size) for address, size in zip((few, many), SIZES, strict=True)]
        for address, queue in zip(addresses, queues, strict=True):
            await queue.pool.run(lambda connection: claims.register(connection, CLUSTER, [PACE]))
            await _fill(address, queue.size)
        for _ in range(CLAIMS):
            for queue in queues:
                await queue.claim()
    return _lines(queues)


async def _fill(address: Address, size: int) -> None:
    """Have so many jobs wait, and their tables as autovacuum leaves them a minute later."""
    async with connected(address) as connection:
        await connection.execute(WAITING, size, CLUSTER, timeout=3600)
        await connection.execute("VACUUM ANALYZE active", timeout=3600)
        await connection.execute("VACUUM ANALYZE jobs", timeout=3600)


async def _end(connection: Connection, claims: list[Claim]) -> None:
    await connection.execute("DELETE FROM active WHERE id = ANY($1::uuid[])", [claim.job for claim in claims])
    await connection.execute(WAITING, len(claims), CLUSTER)


def _lines(queues: list[Queue]) -> str:
    rates = [queue.jobs / len(queue.seconds) / median(queue.seconds) for queue in queues]
    totals = [queue.jobs / sum(queue.seconds) for queue in queues]
    lines = [
        f"{CLAIMS} claims of at most {JOBS} jobs from each queue in turns, by the worker's own code, with "
        "its events; as many jobs come as have gone; 20 queues with three tiers.",
        "",
        "| jobs that wait | claimed a second, by the median | by the sum of all | slowest claim |",
        "| --- | --- | --- | --- |",
    ]
    for queue, rate, total in zip(queues, rates, totals, strict=True):
        lines.append(f"| {queue.size:,} | {rate:,.0f} | {total:,.0f} | {1000 * max(queue.seconds):.0f} ms |")
    lines += [
        "",
        f"Ratio by the median {rates[1] / rates[0]:.2f}, by the sum {totals[1] / totals[0]:.2f}; "
        f"at least {LEAST}.",
    ]
    return "\n".join(lines) + "\n"
