"""Archer under load, with faults at random moments: each job has one application at most, and its right end.

MOKA_ARCHER_FAULTS says how many of each kind there are, MOKA_ARCHER_SEED when and how they come,
MOKA_ARCHER_OUTAGE for how many seconds the API server is down, and MOKA_ARCHER_LEASE for how many a claim holds.
"""

import asyncio
import os
import random
import signal
import subprocess
import time

import pytest

from localcloud.cloud import Cloud
from localcloud.control_plane import ControlPlane
from tests.support.archer_stage import prepare, stage
from tests.support.loops import run_apart

FAULTS = int(os.environ.get("MOKA_ARCHER_FAULTS", "20"))
SEED = int(os.environ.get("MOKA_ARCHER_SEED") or random.randrange(1_000_000))
OUTAGE_SECONDS = float(os.environ.get("MOKA_ARCHER_OUTAGE", "20"))
LEASE_SECONDS = float(os.environ.get("MOKA_ARCHER_LEASE", "15"))
RATE = float(os.environ.get("MOKA_ARCHER_RATE", "5"))
"""Jobs a second."""


@pytest.fixture(scope="module")
def plane(tmp_path_factory):
    plane = ControlPlane(Cloud(tmp_path_factory.mktemp("planes")), "spark-a")
    try:
        prepare(plane)
        yield plane
    finally:
        plane.remove()


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


KINDS = {function.__name__: function for function in (service_killed, worker_killed)}


@pytest.mark.parametrize("kind", KINDS)
def test_no_job_is_lost_none_runs_twice_and_each_ends_right(plane, tmp_path, capsys, kind):
    chance = random.Random(f"{SEED} {kind}")

    async def work():
        namespace = kind.replace("_", "-")
        async with stage(plane, tmp_path, namespace, lease_seconds=LEASE_SECONDS) as it:
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
                say(f"fault {number + 1}, {len(it.taken)} jobs taken")
            faults_over = time.monotonic()
            said = await it.end_load()
            wrong = await it.settled()
            say(
                f"{FAULTS} faults in {faults_over - began:.0f} s, {len(it.taken)} jobs taken, "
                f"{len(it.observer.applications)} applications, {it.observer.gaps} gaps in the watch, sent again "
                f"{said['again']}, settled {time.monotonic() - faults_over:.0f} s after the last fault"
            )
            assert wrong == []

    def say(text):
        with capsys.disabled():
            print(f"{kind}, seed {SEED}, load {os.getloadavg()[0]:.1f}: {text}", flush=True)

    run_apart(work())
