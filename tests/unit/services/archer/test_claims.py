"""Claiming costs what there are queues, however many jobs wait."""

from services.archer.database import claims
from services.archer.database.address import connected
from services.archer.database.claims import Pace
from services.archer.database.pool import pool
from tests.support.archer_rows import WAITING
from tests.support.loops import run_apart

CLUSTER = "spark-a"
MANY = 30_000
JOBS = 50

BLOCKS = """
SELECT sum(heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit)::bigint AS blocks
FROM pg_statio_user_tables WHERE relname = 'active' OR relname LIKE 'jobs\\_%'
"""
"""Pages of tables and indexes that were looked at."""


async def blocks(address):
    # What a connection did is counted when it ends.
    async with connected(address) as connection:
        return await connection.fetchval(BLOCKS)


def test_a_claim_looks_at_a_few_pages_of_a_queue_in_which_many_jobs_wait(address):
    async def claim():
        async with pool(address, 1) as connections:
            pace = Pace(
                operator="spark-operator", namespaces=["spark-jobs"], burst=JOBS, namespace_burst=JOBS
            )
            await connections.run(lambda c: claims.register(c, CLUSTER, [pace]))
            return await connections.run(lambda c: claims.claim(c, CLUSTER, pace, {}, "worker", JOBS))

    async def work():
        async with connected(address) as connection:
            await connection.execute(WAITING, MANY, CLUSTER)
            await connection.execute("ANALYZE")
        before = await blocks(address)
        claimed = await claim()
        return claimed, await blocks(address) - before

    claimed, looked_at = run_apart(work())

    assert len(claimed) == len({one.job for one in claimed}) == JOBS
    # Twenty queues with three tiers, and fifty rows with their indexes.
    assert looked_at < 5_000
