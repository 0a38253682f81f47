"""What the API answers of writes that come at the same moment, over HTTP and on a real PostgreSQL."""

import asyncio

import pytest

from tests.support.jobs import make_job

JOB = make_job().model_dump(mode="json", exclude_unset=True)
TIMES = 8


async def all_at_once(requests):
    """Answers, none of which is a fault of Archer's."""
    answers = await asyncio.gather(*requests)
    assert [answer.text for answer in answers if answer.status_code >= 500] == []
    return answers


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
