"""Tens of thousands of jobs through all of Archer, on a real API server with an operator played by a stub.

MOKA_ARCHER_JOBS says how many, 50,000 by default, and MOKA_ARCHER_RATE how many a second, 50 by default: 18
times what Moka has on average.
"""

import asyncio
import os
import time
from collections import Counter

import pytest

from localcloud.cloud import Cloud
from localcloud.control_plane import ControlPlane
from tests.support.archer_stage import document_of, prepare, stage
from tests.support.loops import run_apart

JOBS = int(os.environ.get("MOKA_ARCHER_JOBS", "50000"))
RATE = float(os.environ.get("MOKA_ARCHER_RATE", "50"))


@pytest.fixture(scope="module")
def plane(tmp_path_factory):
    plane = ControlPlane(Cloud(tmp_path_factory.mktemp("planes")), "spark-a")
    try:
        prepare(plane)
        yield plane
    finally:
        plane.remove()


def test_each_job_is_submitted_once_and_ends_as_its_application_does(plane, tmp_path, capsys):
    def say(text):
        with capsys.disabled():
            print(f"load {os.getloadavg()[0]:.1f}: {text}", flush=True)

    async def work():
        # The operator starts more than come, so that what lies between is Archer's.
        async with stage(plane, tmp_path, "many", document=document_of("many", 120 * RATE)) as it:
            began = time.monotonic()
            await it.begin_load(RATE, JOBS)
            while it.loading:
                await asyncio.sleep(30)
                states = {row["state"]: row["jobs"] for row in await it.pool.fetch(STATES)}
                say(f"{time.monotonic() - began:.0f} s, {len(it.taken):,} taken, active {states}")
            said = await it.end_load(enough=False)
            wrong = await it.settled(patience=3600)
            seconds = time.monotonic() - began
            say(
                f"{JOBS:,} jobs, {len(it.observer.applications):,} applications, {it.observer.gaps} gaps in "
                f"the watch; all taken after {said['seconds']:.0f} s, sent again {said['again']}, all ended "
                f"after {seconds:.0f} s, {JOBS / seconds:.1f} a second; {dict(Counter(it.taken.values()))}"
            )
            assert wrong == []

    run_apart(work())


STATES = "SELECT state, count(*) AS jobs FROM active GROUP BY state"
