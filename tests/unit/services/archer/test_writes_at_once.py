"""What the API answers of writes that come at the same moment, over HTTP and on a real PostgreSQL."""

import asyncio
from datetime import UTC, datetime

import pytest

from services.archer.database import plans, routes, turns
from services.archer.database.address import connected
from services.archer.database.pool import AWAY
from tests.support.jobs import make_job
from tests.support.plans import ETL1, amounts, plan_data, settings

OPS = {"X-Sender": "olga operators"}
CLUSTER = "spark-a"
JOB = make_job().model_dump(mode="json", exclude_unset=True)
ROUTE = ("workflow", "cluster", "namespace", "queue", "architecture", "why")
TIMES = 8


async def all_at_once(requests):
    """Answers, none of which is a fault of Archer's."""
    answers = await asyncio.gather(*requests)
    assert [answer.text for answer in answers if answer.status_code >= 500] == []
    return answers


@pytest.mark.parametrize("known", [False, True], ids=["a new one", "one that is there"])
def test_routes_of_one_workflow_that_are_written_at_once_come_one_after_the_other(serve, known):
    async def work(client):
        def put(why):
            route = {"workflow": "nightly", "queue": "science.models", "why": why}
            return client.put("/v1/routes", json=route, headers=OPS)

        if known:
            await put("the first")
        answers = await all_at_once(put(f"number {number}") for number in range(TIMES))
        now = (await client.get("/v1/routes")).json()["routes"]
        history = (await client.get("/v1/routes?history=true")).json()["routes"]
        return answers, now, history

    answers, now, history = serve(work)
    assert {answer.status_code for answer in answers} == {200}
    assert len(history) == TIMES + known
    assert now == history[:1]
    assert [one["ended_by"] for one in history] == [None, *["olga"] * (len(history) - 1)]


@pytest.mark.parametrize("known", [False, True], ids=["a new one", "one that is there"])
def test_workflows_that_are_written_at_once_come_one_after_the_other(serve, known):
    async def work(client):
        def put(hours):
            daily = {
                "tier": 1,
                "slo_hours": hours,
                "owner": "o@acme",
                "project": "acme.etl",
                "cluster": CLUSTER,
            }
            sent = {"workflows": {"daily": daily}, "why": "a test"}
            return client.put("/v1/workflows", json=sent, headers=OPS)

        if known:
            await put(100)
        answers = await all_at_once(put(1 + number) for number in range(TIMES))
        history = (await client.get("/v1/workflows?history=true")).json()["workflows"]
        return answers, history

    answers, history = serve(work)
    assert [answer.json()["changed"] for answer in answers] == [1] * TIMES
    assert {one["slo_hours"] for one in history} >= set(range(1, 1 + TIMES))
    assert [one["ended_by"] for one in history] == [None, *["olga"] * (len(history) - 1)]


def test_a_plan_waits_for_a_route_that_somebody_writes_and_is_then_refused(serve):
    async def work(client):
        await client.pool.run(lambda c: plans.tell(c, CLUSTER, settings()))
        made, daily = datetime.now(UTC).isoformat(), {"daily": {"cluster": CLUSTER, "why": "room"}}
        plan = plan_data({ETL1: [amounts("24", "40Gi", 7)]}, id="monday", made=made, routes=daily)
        await client.post("/v1/plans", json=plan, headers=OPS)
        wish = {"revision": 0, "why": "a test"}

        async def write(connection):
            await routes.write(
                connection, {**dict.fromkeys(ROUTE), "workflow": "daily", "why": "a test"}, "olga"
            )
            task = asyncio.create_task(client.post("/v1/plans/monday/apply", json=wish, headers=OPS))
            while not await connection.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted"):
                await asyncio.sleep(0.01)
            return task

        return await (await client.pool.run(write)), (await client.get("/v1/routes")).json()["routes"]

    answer, [route] = serve(work)
    assert answer.status_code == 409
    assert "daily has a route of olga, which plan monday would change" in answer.json()["detail"]
    assert route["plan"] is None


def test_others_do_not_wait_for_ever_for_one_that_is_frozen_in_its_turn(serve, address, monkeypatch):
    monkeypatch.setattr(turns, "IDLE_SECONDS", 1)
    route = {"workflow": "nightly", "queue": "science.models", "why": "a test"}

    async def work(client):
        async with connected(address) as frozen, frozen.transaction():
            await turns.turn(frozen, "routes")
            answer = await client.put("/v1/routes", json=route, headers=OPS)
            seen.append(answer.status_code)
            await frozen.execute("SELECT 1")

    seen = []
    with pytest.raises(AWAY):
        serve(work)
    assert seen == [200]


@pytest.mark.parametrize("second", ["refuse", "return", "replace"])
@pytest.mark.parametrize("known", [False, True], ids=["alone", "after another"])
def test_a_unique_job_that_is_sent_again_before_its_answer_is_one_job(serve, second, known):
    async def work(client):
        unique = {**JOB, "unique": {"key": "day", "second": second}}
        first = (await client.post("/v1/jobs", json=unique)).json()["id"] if known else None
        again = {"Idempotency-Key": "once"}
        answers = await all_at_once(client.post("/v1/jobs", json=unique, headers=again) for _ in range(TIMES))
        jobs = (await client.get("/v1/jobs?owner=me")).json()["jobs"]
        return first, answers, {job["id"]: job["state"] for job in jobs}

    first, answers, states = serve(work)
    told = {answer.json().get("id") or answer.json()["job"] for answer in answers}
    assert len(told) == 1
    [job] = told
    assert states.keys() == {job, first} - {None}
    assert states[job] in {"accepted", "queued"}
