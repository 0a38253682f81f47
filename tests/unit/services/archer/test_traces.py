"""Traces of requests and of jobs, as a collector gets them."""

import itertools

import pytest

from moka.submission.configuration import Configuration, DatabaseAccess, TracesPlace
from moka.submission.job_id import parse_id
from moka.submission.reasons import Reason
from moka.submission.states import State
from services.archer.database import transitions
from services.archer.database.address import Address
from services.archer.traces import JobTraces, tracing
from tests.support.archer import archer, start
from tests.support.jobs import make_job
from tests.support.loops import run_apart
from tests.support.otlp_receiver import otlp_receiver

JOB = make_job().model_dump(mode="json", exclude_unset=True)
CALLER = "0af7651916cd43dd8448eb211c80319c"
SAMPLED = {"traceparent": f"00-{CALLER}-b7ad6b7169203331-01"}


def configuration(endpoint: str, share: float = 1.0) -> Configuration:
    return Configuration(
        environment="test",
        database=DatabaseAccess(url="postgresql://archer@localhost/archer"),
        traces=TracesPlace(endpoint=endpoint, share=share),
    )


@pytest.fixture
def traced(address: Address):
    """Run a coroutine function with a client of a service and its collector; the collector, after its end."""

    def traced(work, share=1.0):
        async def inside(receiver):
            async with (
                tracing("archer", configuration(receiver.endpoint, share)) as spans,
                archer(address, tracing=spans) as client,
            ):
                client.tracing = spans
                return await work(client)

        with otlp_receiver() as receiver:
            return run_apart(inside(receiver)), receiver

    return traced


async def submit(client, **headers):
    answer = await client.post("/v1/jobs", json=JOB, headers=headers)
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


def trace_of(job):
    return parse_id(job).hex


def test_a_request_is_in_its_caller_s_trace_and_the_job_has_one_by_its_id(traced):
    job, receiver = traced(lambda client: submit(client, **SAMPLED))

    [request] = receiver.named("POST /v1/jobs")
    assert (request.service, request.trace, request.parent) == ("archer", CALLER, "b7ad6b7169203331")
    assert request.attributes["http.response.status_code"] == 201
    assert request.attributes["moka.job"] == job
    [taken] = receiver.named("accept")
    assert (taken.trace, taken.links) == (trace_of(job), [CALLER])
    assert taken.parent == trace_of(job)[16:]


def test_a_job_that_has_ended_shows_for_how_long_it_was_in_each_state(traced):
    async def work(client):
        job = await submit(client)
        await start(client.pool, "spark-1")
        end = transitions.End(
            job=parse_id(job), attempt=1, state=State.FAILED, reason=Reason.PROGRAM_FAILED, message="exit 1"
        )
        await client.pool.run(lambda c: transitions.record_ends(c, [end]))
        traces = JobTraces(client.pool, client.tracing)
        traces.ended([parse_id(job)])
        await traces.write()
        return job

    job, receiver = traced(work)
    [whole] = receiver.named(f"job {JOB['name']}")
    assert (whole.trace, whole.id, whole.parent) == (trace_of(job), trace_of(job)[16:], "")
    assert whole.failed
    assert whole.attributes["moka.state"] == "failed"
    assert whole.attributes["moka.queue"] == "analytics.reports"
    inside = sorted((span for span in receiver.spans if span.parent == whole.id), key=lambda s: s.began)
    stays = [span for span in inside if span.name != "accept"]
    assert [span.name for span in stays] == ["accepted", "queued", "submitting", "submitted", "running"]
    assert all(one.ended == next.began for one, next in itertools.pairwise(stays))
    assert stays[-1].ended == whole.ended
    assert not any("exit 1" in str(span) for span in receiver.spans), "what a program says stays here"


def test_a_job_that_is_stopped_before_it_is_submitted_has_its_way_too(traced):
    async def work(client):
        job = await submit(client)
        await client.post(f"/v1/jobs/{job}/stop")
        return job

    job, receiver = traced(work)
    [whole] = receiver.named(f"job {JOB['name']}")
    assert (whole.trace, whole.attributes["moka.state"]) == (trace_of(job), "cancelled")


def test_only_the_share_that_is_wanted_is_sent_and_of_a_job_all_or_nothing(traced):
    async def work(client):
        return [await submit(client) for _ in range(200)]

    jobs, receiver = traced(work, share=0.25)
    kept = {trace_of(job) for job in jobs} & {span.trace for span in receiver.named("accept")}
    assert 20 < len(kept) < 90
    assert len(receiver.named("accept")) == len(kept)
    # 56 bits of each are random.
    assert all(int(trace[-14:], 16) < 0.25 * (1 << 56) for trace in kept)


def test_probes_and_collectors_make_no_spans(traced):
    async def work(client):
        for path in ("/healthz", "/readyz", "/metrics"):
            await client.get(path)

    _, receiver = traced(work)
    assert receiver.spans == []


def test_without_a_collector_jobs_are_taken_all_the_same(address: Address):
    async def work():
        # Nobody listens at this port.
        async with (
            tracing("archer", configuration("http://127.0.0.1:9")) as spans,
            archer(address, tracing=spans) as client,
        ):
            return await submit(client)

    assert run_apart(work())
