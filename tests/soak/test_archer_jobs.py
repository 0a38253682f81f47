"""Thousands of jobs through all of Archer, on a real API server with an operator played by a stub.

MOKA_ARCHER_JOBS says how many (by default as in sizes.py), and MOKA_ARCHER_RATE how many a second, 50 by
default: 18 times what Moka has on average.
"""

import asyncio
import os
import time
from collections import Counter

import pytest

from tests.soak.sizes import size
from tests.support.archer_stage import document_of, plane_of_stub, stage
from tests.support.loops import run_apart

JOBS = size("MOKA_ARCHER_JOBS")
RATE = float(os.environ.get("MOKA_ARCHER_RATE", "50"))


@pytest.fixture(scope="module")
def plane(tmp_path_factory):
    with plane_of_stub(tmp_path_factory.mktemp("planes")) as plane:
        yield plane


def test_each_job_is_submitted_once_and_ends_as_its_application_does(plane, tmp_path, progress):
    async def work():
        # What an operator of two cores has not looked at stays with Archer.
        async with stage(plane, tmp_path, "many", document=document_of("many", 60 * RATE)) as it:
            began = time.monotonic()
            await it.begin_load(RATE, JOBS)

            async def say():
                while True:
                    await asyncio.sleep(30)
                    progress(
                        f"{time.monotonic() - began:.0f} s, {len(it.taken):,} taken, "
                        f"active {await it.active()}"
                    )

            async with asyncio.TaskGroup() as group:
                sayings = group.create_task(say())
                while it.loading:
                    await asyncio.sleep(1)
                report = await it.end_load(enough=False)
                wrong = await it.settled(patience=2 * 3600)
                sayings.cancel()
            seconds = time.monotonic() - began
            progress(
                f"{JOBS:,} jobs, {len(it.observer.applications):,} applications, {it.observer.gaps} gaps in "
                f"the watch; all taken after {report['seconds']:.0f} s, sent again {report['again']}, all "
                f"ended after {seconds:.0f} s, {JOBS / seconds:.1f} a second; "
                f"{dict(Counter(it.taken.values()))}"
            )
            assert wrong == []

    run_apart(work())
