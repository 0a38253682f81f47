"""Archer under load, with faults at random moments: each job has one application at most, and its right end.

MOKA_ARCHER_FAULTS says how many of each kind there are (by default as in sizes.py), MOKA_ARCHER_SEED when and
how they come, MOKA_ARCHER_RATE how many jobs a second, MOKA_ARCHER_OUTAGE for how many seconds the API server
is down, and MOKA_ARCHER_LEASE for how many a claim holds.
"""

import asyncio
import os
import random
import signal
import time

import pytest

from tests.soak.sizes import size
from tests.support.archer_stage import plane_of_stub, stage
from tests.support.loops import run_apart
from tests.support.wrong_clock import shifted

FAULTS = size("MOKA_ARCHER_FAULTS")
SEED = int(os.environ.get("MOKA_ARCHER_SEED") or random.randrange(1_000_000))
OUTAGE_SECONDS = float(os.environ.get("MOKA_ARCHER_OUTAGE", "20"))
LEASE_SECONDS = float(os.environ.get("MOKA_ARCHER_LEASE", "15"))
RATE = float(os.environ.get("MOKA_ARCHER_RATE", "5"))
"""Jobs a second."""


@pytest.fixture(scope="module")
def plane(tmp_path_factory):
    with plane_of_stub(tmp_path_factory.mktemp("planes")) as plane:
        yield plane


async def service_killed(it, chance):
    number = chance.randrange(len(it.services))
    it.services[number].kill()
    await asyncio.sleep(chance.uniform(0, 2))
    await it.start_service(number)


async def worker_killed(it, chance):
    number = chance.randrange(len(it.workers))
    it.workers[number].kill()
    await asyncio.sleep(chance.uniform(0, 2))
    await it.start_worker(number)


async def watcher_cut(it, chance):
    """Connections of a worker to the API server are reset, and its watches; for a while none is made."""
    _, api = it.ways[chance.randrange(len(it.ways))]
    api.close()
    await asyncio.sleep(chance.uniform(0, 6))
    api.open()


async def follower_killed(it, chance):
    """The worker that follows the applications is killed, whichever that is; another goes on where it was."""
    numbers = [number for number in range(len(it.workers)) if await it.follows(number)]
    number = (numbers or [0])[0]
    it.workers[number].kill()
    await asyncio.sleep(chance.uniform(0, 20))
    await it.start_worker(number)


async def database_restarted(it, chance):
    await it.database.restart(chance.choice([signal.SIGINT, signal.SIGQUIT]))


async def database_failed_over(it, chance):
    await it.database.fail_over(chance.random() < 0.5)


async def api_server_down(it, chance):
    it.lose_api_server()
    await asyncio.sleep(OUTAGE_SECONDS)
    await it.bring_api_server()


async def watch_cut_and_compacted(it, chance):
    """The watches of all workers end; when they come back, nobody knows any more what happened since."""
    for _, api in it.ways:
        api.close()
    await asyncio.sleep(chance.uniform(1, 5))
    revision = it.etcd("kv/range", {"key": "AA=="})["header"]["revision"]
    it.etcd("kv/compaction", {"revision": revision, "physical": True})
    # Its cache would know; a new one begins with today.
    it.lose_api_server()
    await it.bring_api_server()
    for _, api in it.ways:
        api.open()


async def clock_wrong(it, chance):
    """A worker is started with a clock that is an hour off, either way."""
    number = chance.randrange(len(it.workers))
    it.workers[number].kill()
    await it.start_worker(number, shifted(it.folder, chance.choice([-3600, 3600])))
    await asyncio.sleep(chance.uniform(2, 8))


async def network_frozen(it, chance):
    """A worker's network passes nothing on for longer than its claims hold; or all of it stands still."""
    number = chance.randrange(len(it.workers))
    seconds = LEASE_SECONDS + chance.uniform(1, 5)
    if chance.random() < 0.5:
        for relay in it.ways[number]:
            relay.stall()
        await asyncio.sleep(seconds)
        for relay in it.ways[number]:
            relay.resume()
    else:
        process = it.workers[number].process
        process.send_signal(signal.SIGSTOP)
        await asyncio.sleep(seconds)
        process.send_signal(signal.SIGCONT)


KINDS = {
    function.__name__: function
    for function in (
        service_killed,
        worker_killed,
        follower_killed,
        watcher_cut,
        database_restarted,
        database_failed_over,
        api_server_down,
        watch_cut_and_compacted,
        clock_wrong,
        network_frozen,
    )
}


@pytest.mark.parametrize("kind", KINDS)
def test_no_job_is_lost_none_runs_twice_and_each_ends_right(plane, tmp_path, progress, kind):
    chance, of = random.Random(f"{SEED} {kind}"), f"{kind}, seed {SEED}"

    async def work():
        namespace = kind.replace("_", "-")
        async with stage(
            plane, tmp_path, namespace, lease_seconds=LEASE_SECONDS, ttl=2 * LEASE_SECONDS
        ) as it:
            began = time.monotonic()
            await it.begin_load(RATE)
            async with asyncio.timeout(120):
                while len(it.taken) < 5 * RATE:
                    await asyncio.sleep(0.2)
            for number in range(FAULTS):
                await asyncio.sleep(chance.uniform(0.2, 5))
                await KINDS[kind](it, chance)
                wrong = [*it.observer.wrong, *it.ended()]
                assert not wrong, f"after fault {number + 1}: {wrong}"
                progress(f"{of}: fault {number + 1}, {len(it.taken)} jobs taken")
            faults_over = time.monotonic()
            report = await it.end_load()
            wrong = await it.settled()
            progress(
                f"{of}: {FAULTS} faults in {faults_over - began:.0f} s, {len(it.taken)} jobs taken, "
                f"{len(it.observer.applications)} applications, {it.observer.gaps} gaps in the watch, "
                f"sent again {report['again']}, settled {time.monotonic() - faults_over:.0f} s after the last"
            )
            assert wrong == []

    run_apart(work())
