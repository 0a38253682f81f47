"""Hundreds of jobs through Archer and the real Spark Operator.

`MOKA_ARCHER_APPLICATIONS` says how many, by default as in sizes.py. Machines, drivers and executors are
simulated (tests/support/application_load.py).
"""

import asyncio
import threading
import time
from collections import Counter

from localcloud.cloud import Cloud
from localcloud.errors import Refusal
from tests.soak.sizes import size
from tests.support.application_load import ENDS, RUNS_FOR, TARGET, UNTIL_ENDED, load_cluster
from tests.support.archer_stage import document_of, let_in, stage
from tests.support.loops import run_apart

NUMBER = size("MOKA_ARCHER_APPLICATIONS")
PER_MINUTE = 30
MIX = ("good",) * 7 + ("bad", "bad", "endless")
PATIENCE = 3600
NAMESPACE = "etl"
PODS = f"/api/v1/namespaces/{NAMESPACE}/pods"


def test_each_job_has_one_application_and_its_right_end_and_nothing_is_left_over(tmp_path, progress):
    async def work(cluster):
        document = document_of(NAMESPACE, PER_MINUTE, TARGET)
        async with stage(cluster.plane, tmp_path, NAMESPACE, document=document, played=False) as it:
            began = time.monotonic()
            await it.begin_load(5, NUMBER, MIX, queue=f"acme.{NAMESPACE}", ttl_seconds=60)
            while it.loading or await it.active():
                await asyncio.sleep(15)
                progress(
                    f"{time.monotonic() - began:.0f} s, {len(it.taken):,} taken, active {await it.active()}"
                )
                assert time.monotonic() - began < PATIENCE
            await it.end_load(enough=False)
            wrong = await it.settled()
            progress(
                f"{NUMBER} jobs, {len(it.observer.applications)} applications, all ended after "
                f"{time.monotonic() - began:.0f} s; {dict(Counter(it.taken.values()))}"
            )
            assert wrong == []
            async with asyncio.timeout(PATIENCE):
                while left := await asyncio.to_thread(cluster.leftovers):
                    progress(f"{len(left)} objects are left")
                    await asyncio.sleep(10)
            assert all(application.gone for application in it.observer.applications.values())
            progress(f"nothing is left after {time.monotonic() - began:.0f} s")

    cloud = Cloud(tmp_path / "cloud")
    with load_cluster(
        cloud, machines=1 + NUMBER // 50, per_minute=PER_MINUTE, finished_pods=NUMBER // 10
    ) as cluster:
        let_in(cluster.plane)
        threading.Thread(target=tell_drivers, args=(cluster.api,), daemon=True).start()
        run_apart(work(cluster))


def tell_drivers(api):
    """Tell simulated drivers how to end, as the names of their jobs say; until the API server is gone."""
    instructed = set()
    try:
        for pod in api.follow(PODS, labelSelector="spark-role=driver"):
            name = pod["metadata"]["name"]
            ways = {"bad": {ENDS: "Failed"}, "endless": {RUNS_FOR: str(UNTIL_ENDED)}}
            way = ways.get(name.partition("-")[0])
            if way and name not in instructed:
                instructed.add(name)
                api.merge(f"{PODS}/{name}", {"metadata": {"annotations": way}})
    except Refusal:
        pass
