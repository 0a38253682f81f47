"""The API of Archer, over HTTP and on a real PostgreSQL."""

import asyncio
import json

import pytest

from moka.submission.job_id import parse_id
from moka.submission.reasons import Reason
from moka.submission.rights import Right
from moka.submission.states import State
from services.archer.database import reading, transitions
from services.archer.database.address import connected
from services.archer.service import acceptor
from services.archer.service.surroundings import ClusterDirectory
from tests.support.archer import OPERATOR
from tests.support.jobs import make_job

JOB = make_job().model_dump(mode="json", exclude_unset=True)
BOB, OPS = {"X-Sender": "bob"}, {"X-Sender": "olga operators"}


async def end(client, job, state=State.SUCCEEDED, reason=Reason.SUCCEEDED):
    """Have a job end, as a worker does."""
    last = transitions.End(job=parse_id(job), attempt=1, state=state, reason=reason)
    await client.pool.run(lambda c: transitions.record_ends(c, [last]))


async def submitted(client, **options):
    answer = await client.post("/v1/jobs", json={**JOB, **options})
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


def test_a_job_is_taken_and_read(serve):
    async def work(client):
        answer = await client.post("/v1/jobs", json=JOB)
        job = await client.get(answer.headers["location"])
        document = await client.get(f"{answer.headers['location']}/document")
        return answer, job.json(), document.json()

    answer, job, document = serve(work)
    assert answer.status_code == 201
    assert (job["state"], job["owner"], job["cluster"], job["wanted"]) == ("queued", "ann", "spark-a", "run")
    assert document == JOB


def test_a_request_sent_again_makes_no_second_job(serve):
    async def work(client):
        sends = [client.post("/v1/jobs", json=JOB, headers={"Idempotency-Key": "k"}) for _ in range(50)]
        answers = await asyncio.gather(*sends)
        other = await client.post("/v1/jobs", json={**JOB, "tier": 2}, headers={"Idempotency-Key": "k"})
        return answers, other, await reading.jobs(client.pool, {})

    answers, other, rows = serve(work)
    assert sorted(answer.status_code for answer in answers) == [200] * 49 + [201]
    assert {answer.json()["id"] for answer in answers} == {other.json()["job"]}
    assert (other.status_code, other.json()["type"]) == (422, "urn:archer:key-reused")
    assert len(rows) == 1


def test_jobs_beyond_what_can_be_taken_are_refused_at_once_and_taken_when_they_come_again(
    serve, address, monkeypatch
):
    monkeypatch.setattr(acceptor, "MOST_UNDER_WAY", 5)

    async def work(client):
        async with connected(address) as connection:
            async with connection.transaction():
                # No job can be written meanwhile.
                await connection.execute("LOCK TABLE active IN ACCESS EXCLUSIVE MODE")
                sent = [asyncio.create_task(client.post("/v1/jobs", json=JOB)) for _ in range(8)]
                batch = asyncio.create_task(client.post("/v1/jobs/batch", json=[JOB]))
                refused, waiting = await asyncio.wait({*sent, batch}, return_when=asyncio.FIRST_COMPLETED)
                while len(refused) < 4:
                    more, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                    refused |= more
            taken = await asyncio.gather(*waiting)
        return [task.result() for task in refused], taken, await client.post("/v1/jobs", json=JOB)

    refused, taken, again = serve(work)
    assert {(a.status_code, a.json()["type"], a.headers["retry-after"]) for a in refused} == {
        (503, "urn:archer:overloaded", "2")
    }
    assert [answer.status_code for answer in taken] == [201] * 5
    assert again.status_code == 201


def test_a_service_of_which_a_part_has_failed_says_that_it_has_to_be_replaced(serve, monkeypatch):
    async def work(client):
        before = await client.get("/healthz")
        monkeypatch.setattr(ClusterDirectory, "refresh", broken)
        while (after := await client.get("/healthz")).status_code == 200:
            await asyncio.sleep(0.05)
        return before.status_code, after.status_code

    async def broken(_):
        raise RuntimeError("a fault of ours")

    assert serve(work) == (200, 503)


def test_all_that_is_wrong_with_a_job_is_said_with_its_places_and_nothing_is_made(serve):
    wrong = {**JOB, "teir": 1, "driver": {"memory": "lots"}, "queue": "nowhere.at-all"}

    async def work(client):
        answers = [await client.post(f"/v1/jobs{path}", json=wrong) for path in ("", "/validate")]
        return answers, await reading.jobs(client.pool, {})

    answers, rows = serve(work)
    for answer in answers:
        assert answer.status_code == 422
        assert answer.headers["content-type"] == "application/problem+json"
        assert {mistake["at"] for mistake in answer.json()["mistakes"]} == {"teir", "driver.memory"}
    assert rows == []


def test_a_job_that_fits_no_cluster_is_refused_as_moka_job_does(serve):
    async def work(client):
        return await client.post("/v1/jobs", json={**JOB, "namespace": "spark-job"})

    answer = serve(work)
    assert answer.status_code == 422
    assert "did you mean 'spark-jobs'?" in answer.json()["mistakes"][0]["says"]


@pytest.mark.parametrize(
    ("headers", "changes", "status"),
    [
        ({"X-Sender": ""}, {}, 401),
        (BOB, {}, 403),
        ({}, {"queue": "science.models", "tier": 3}, 403),
        ({}, {"tier": 2}, 201),
    ],
    ids=["nobody", "without a right", "another organization", "with a right"],
)
def test_only_who_may_submits(serve, headers, changes, status):
    async def work(client):
        return await client.post("/v1/jobs", json={**JOB, **changes}, headers=headers)

    assert serve(work).status_code == status


def test_jobs_of_others_are_not_there(serve):
    async def work(client):
        job = await submitted(client)
        paths = [f"/v1/jobs/{job}", f"/v1/jobs/{job}/events", f"/v1/jobs/{job}/document"]
        hidden = [(await client.get(path, headers=BOB)).status_code for path in paths]
        hidden.append((await client.post(f"/v1/jobs/{job}/stop", headers=BOB)).status_code)
        listing = [
            await client.get("/v1/jobs", headers=BOB),
            await client.get("/v1/jobs?owner=me", headers=BOB),
        ]
        operator = await client.get(f"/v1/jobs/{job}", headers=OPS)
        return hidden, listing, operator.status_code

    hidden, listing, operator = serve(work)
    assert hidden == [404] * 4
    assert [answer.status_code for answer in listing] == [403, 200]
    assert listing[1].json()["jobs"] == []
    assert operator == 200


def test_who_waits_is_answered_when_the_job_has_ended(serve):
    async def work(client):
        job = await submitted(client)
        waiting = asyncio.create_task(client.get(f"/v1/jobs/{job}?wait=60s"))
        await asyncio.sleep(0)
        await end(client, job)
        return (await waiting).json()["state"]

    assert serve(work) == "succeeded"


def test_a_stream_of_events_goes_on_where_it_was_cut_off(serve):
    async def work(client):
        job = await submitted(client)
        headers = {"Accept": "text/event-stream"}
        numbers = []
        async with client.stream("GET", f"/v1/jobs/{job}/events", headers=headers) as stream:
            async for line in stream.aiter_lines():
                if line.startswith("id:"):
                    numbers.append(line.removeprefix("id:").strip())
                if len(numbers) == 2:
                    break
        rest = asyncio.create_task(
            client.get(f"/v1/jobs/{job}/events", headers={**headers, "Last-Event-ID": numbers[-1]})
        )
        await end(client, job)
        data = [line for line in (await rest).text.splitlines() if line.startswith("data:")]
        return numbers, [json.loads(line.removeprefix("data:"))["state"] for line in data]

    assert serve(work) == (["1", "2"], ["succeeded"])


def test_a_job_that_waits_is_cancelled_at_once_and_stopping_it_again_changes_nothing(serve):
    async def work(client):
        job = await submitted(client)
        first = await client.post(f"/v1/jobs/{job}/stop")
        second = await client.post(f"/v1/jobs/{job}/stop")
        return first.json(), second.json()

    first, second = serve(work)
    assert (first["state"], first["message"]) == ("cancelled", "stopped by ann")
    assert second == first


def test_pages_follow_each_other_and_what_no_page_gave_is_refused(serve):
    async def work(client):
        jobs = [await submitted(client) for _ in range(5)]
        found, cursor = [], None
        while cursor is not None or not found:
            params = {"owner": "me", "limit": 2, **({"cursor": cursor} if cursor else {})}
            page = (await client.get("/v1/jobs", params=params)).json()
            found += [job["id"] for job in page["jobs"]]
            cursor = page["next"]
        wrong = ["x", "djE6", "' OR 1=1 --", "\u0000", "djI6MDZoMGxobThzOW9najFtZDZqaDJubjN1YW8="]
        refused = [
            (await client.get("/v1/jobs", params={"owner": "me", "cursor": one})).status_code for one in wrong
        ]
        return jobs, found, refused

    jobs, found, refused = serve(work)
    assert found == jobs[::-1]
    assert refused == [400] * 5


def test_a_batch_takes_what_is_right_and_says_what_is_wrong_with_the_rest(serve):
    async def work(client):
        batch = [JOB, {**JOB, "tier": 9}, {**JOB, "name": "other"}]
        headers = {"Idempotency-Key": "nightly"}
        first = (await client.post("/v1/jobs/batch", json=batch, headers=headers)).json()["jobs"]
        again = (await client.post("/v1/jobs/batch", json=batch, headers=headers)).json()["jobs"]
        return first, again

    first, again = serve(work)
    assert [one["new"] for one in first] == [True, False, True]
    assert first[1]["problem"]["kind"] == "invalid-job"
    assert [one["id"] for one in again] == [one["id"] for one in first]
    assert not any(one["new"] for one in again)


HOSTILE = {
    "50 MB": (b" " * 50_000_000, 413),
    "deep": (b"[" * 100_000 + b"]" * 100_000, 400),
    "not JSON": (b"name: pi", 400),
    "a list": (b"[]", 422),
    "a number": (b"1e999", 400),
    "nothing": (b"", 400),
    "U+0000": (b'{"name": "a\\u0000b"}', 400),
    "half a surrogate": (b'{"name": "\\ud800"}', 400),
}


@pytest.mark.parametrize(("body", "status"), HOSTILE.values(), ids=HOSTILE)
def test_what_is_no_job_is_refused_in_a_sentence(serve, body, status):
    async def work(client):
        answers = [await client.post(f"/v1/jobs{path}", content=body) for path in ("", "/validate")]
        # It has cost nobody anything.
        await submitted(client)
        return answers

    for answer in serve(work):
        assert answer.status_code == status
        assert answer.json()["detail"]


@pytest.mark.parametrize(
    "path",
    [
        "/v1/jobs/'; DROP TABLE jobs; --",
        "/v1/jobs/..%2f..%2fetc%2fpasswd",
        "/v1/jobs/%00",
        "/v1/jobs/" + "a" * 5000,
        "/v1/jobs?owner=me&state=dead",
        "/v1/jobs?owner=me&limit=1000000",
        "/v1/jobs?owner=me&tier=%00",
        "/v1/jobs?owner=me&name=%00",
        "/v1/jobs?owner=me&queue='%20OR%20''='",
        "/v1/nothing",
    ],
)
def test_tricks_in_parameters_are_answered_as_mistakes(serve, path):
    async def work(client):
        answer = await client.get(path)
        await submitted(client)
        return answer

    answer = serve(work)
    assert answer.status_code in (400, 404) or answer.json() == {"jobs": [], "next": None}


def test_who_asks_too_often_is_told_when_to_ask_again_and_others_are_answered(serve):
    async def work(client):
        answers = [await client.get("/v1/clusters") for _ in range(10)]
        return answers, await client.get("/v1/clusters", headers=BOB)

    answers, other = serve(work, rate=3)
    [refused] = {answer.status_code for answer in answers[5:]}
    assert refused == 429
    assert int(answers[-1].headers["retry-after"]) >= 1
    assert other.status_code == 200


def test_a_cordoned_cluster_takes_no_jobs_until_it_is_uncordoned(serve):
    async def work(client):
        refused = await client.put("/v1/clusters/spark-a/cordon", json={"why": "upgrade"})
        cordoned = await client.put("/v1/clusters/spark-a/cordon", json={"why": "upgrade"}, headers=OPS)
        job = await submitted(client)
        waiting = (await client.get(f"/v1/jobs/{job}")).json()["state"]
        where = (await client.post("/v1/jobs/validate", json=JOB)).json()
        await client.delete("/v1/clusters/spark-a/cordon", headers=OPS)
        again = (await client.post("/v1/jobs/validate", json=JOB)).json()
        return refused.status_code, cordoned.json()["cordoned"], waiting, where, again

    refused, cordoned, waiting, where, again = serve(work)
    assert (refused, cordoned, waiting) == (403, "upgrade", "accepted")
    assert "spark-a (cordoned: upgrade)" in where["message"]
    assert again["cluster"] == "spark-a"


@pytest.mark.parametrize(
    ("organization", "status"), [("*", 201), ("analytics", 403)], ids=["with a right", "without one"]
)
def test_a_job_goes_to_the_queue_of_its_route_where_its_sender_has_a_right_to_that(
    serve, organization, status
):
    right = Right(who="user:ann", may=frozenset({"submit", "see"}), organization=organization)

    async def work(client):
        route = {"workflow": "nightly", "queue": "science.models", "why": "a test"}
        await client.put("/v1/routes", json=route, headers=OPS)
        answer = await client.post("/v1/jobs", json={**JOB, "tier": 3, "workflow": "nightly"})
        rows = await reading.jobs(client.pool, {})
        documents = [await reading.document(client.pool, row.id) for row in rows]
        return answer, [row.queue for row in rows], [document["queue"] for document in documents]

    answer, queues, sent = serve(work, rights=[right, OPERATOR])
    assert answer.status_code == status
    assert (queues, sent) == ((["science.models"], ["analytics.reports"]) if status == 201 else ([], []))


def test_a_route_sends_a_workflow_elsewhere_and_its_history_is_kept(serve):
    async def work(client):
        route = {"workflow": "nightly-*", "queue": "science.models", "why": "a test"}
        first = await client.put("/v1/routes", json=route, headers=OPS)
        wrong = await client.put("/v1/routes", json={**route, "cluster": "gone"}, headers=OPS)
        await client.put("/v1/routes", json={**route, "queue": "analytics.reports"}, headers=OPS)
        await client.delete("/v1/routes/nightly-*", headers=OPS)
        now = (await client.get("/v1/routes")).json()["routes"]
        history = (await client.get("/v1/routes?history=true")).json()["routes"]
        return first, wrong, now, history

    first, wrong, now, history = serve(work)
    assert first.json()["by"] == "olga"
    assert wrong.status_code == 400
    assert now == []
    assert [(one["queue"], one["ended_by"]) for one in history] == [
        ("analytics.reports", "olga"),
        ("science.models", "olga"),
    ]


def test_the_document_of_the_api_names_every_model_that_it_refers_to(serve):
    async def work(client):
        return (await client.get("/openapi.json")).text

    text = serve(work)
    document = json.loads(text)
    named = {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert named <= set(document["components"]["schemas"])
    assert {"Job", "JobModel", "ProblemModel"} <= named
