"""Operations on jobs."""

import asyncio
import base64
import re
from collections.abc import AsyncIterator
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import Response, StreamingResponse
from fastapi.sse import format_sse_event

from moka.jobs.job_target import JobTarget
from moka.pages import ui_host
from moka.submission.job_id import id_text, parse_id, submitted_at
from moka.submission.placement import Placed
from moka.submission.reasons import Reason
from moka.submission.states import ENDED, DesiredState, State
from services.archer.database import reading, transitions
from services.archer.database.reading import JobRow
from services.archer.service.bodies import BATCH_BYTES, JOB_BYTES, body, parse
from services.archer.service.context import Caller, Context, Row, ServiceContext, denied, permit
from services.archer.service.models import (
    AttemptModel,
    BatchedModel,
    BatchModel,
    EventModel,
    EventsModel,
    JobModel,
    LinksModel,
    PageModel,
    StateName,
    SubmittedModel,
    ValidationModel,
    WholeJobModel,
)
from services.archer.service.problems import Problem, mistakes, responses
from services.archer.service.submission import job_of, key_of, permitted, submission_of, take

PAGE = 1000
"""Jobs of a page at most."""

BATCH = 1000
"""Jobs of a batch at most."""

LONGEST_WAIT_SECONDS = 60
QUIET_SECONDS = 15.0
"""After which a stream says that it is there."""

JOB_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Job"}}},
    }
}
JOBS_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "type": "array",
                    "items": {"$ref": "#/components/schemas/Job"},
                    "maxItems": BATCH,
                }
            }
        },
    }
}

router = APIRouter(prefix="/v1", tags=["jobs"])

Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        description="Yours for this request: sent again, it gets the same job. Kept for 7 days.",
    ),
]


@router.post(
    "/jobs",
    status_code=201,
    response_model=SubmittedModel,
    openapi_extra=JOB_BODY,
    responses={
        200: {"description": "It came before.", "model": SubmittedModel},
        **responses(
            "invalid-request",
            "invalid-job",
            "key-reused",
            "another-is-active",
            "forbidden",
            "too-large",
            "wrong-media-type",
            "overloaded",
        ),
    },
)
async def submit(request: Request, context: ServiceContext, principal: Caller, key: Key = None) -> Response:
    """Submit a job: it is in the database when this answers, and runs once whatever happens."""
    with context.metrics.submission(), context.acceptor.room():
        document = parse(await body(request, JOB_BYTES))
        outcome = await take(
            context, principal, await submission_of(context, principal, document, key_of(key))
        )
    answer = SubmittedModel(id=id_text(outcome.job), new=outcome.new)
    return Response(
        answer.model_dump_json(),
        201 if outcome.new else 200,
        {"Location": f"/v1/jobs/{answer.id}"},
        "application/json",
    )


@router.post(
    "/jobs/batch",
    openapi_extra=JOBS_BODY,
    responses=responses("invalid-request", "too-large", "wrong-media-type", "overloaded"),
)
async def submit_batch(
    request: Request, context: ServiceContext, principal: Caller, key: Key = None
) -> BatchModel:
    """Submit up to 1,000 jobs, each by itself: what is wrong with one costs no other.

    With an Idempotency-Key, each job's is that with its number.
    """
    documents = parse(await body(request, BATCH_BYTES))
    prefix = key_of(key)
    if not isinstance(documents, list) or len(documents) > BATCH:
        raise mistakes([("body", f"has to be a list of at most {BATCH} jobs")])
    # The first is the request itself.
    context.rates.take(principal.name, max(len(documents) - 1, 0))
    turn = asyncio.Lock()

    async def submit_document(number: int, document: Any) -> BatchedModel:
        try:
            own_key = key_of(f"{prefix}/{number}") if prefix else None
            with context.metrics.submission():
                async with turn:
                    submission = await submission_of(context, principal, document, own_key)
                    # What reads a job answers nobody meanwhile: others have their turn between two.
                    await asyncio.sleep(0)
                outcome = await take(context, principal, submission)
        except Problem as problem:
            return BatchedModel(problem={"kind": problem.kind, "detail": problem.detail, **problem.more})
        return BatchedModel(id=id_text(outcome.job), new=outcome.new)

    with context.acceptor.room(len(documents)):
        return BatchModel(
            jobs=await asyncio.gather(*[submit_document(*pair) for pair in enumerate(documents)])
        )


@router.post(
    "/jobs/validate",
    openapi_extra=JOB_BODY,
    responses=responses("invalid-request", "invalid-job", "forbidden", "too-large", "wrong-media-type"),
)
async def validate(request: Request, context: ServiceContext, principal: Caller) -> ValidationModel:
    """Say all that is wrong with a job, or where it would go; nothing is made."""
    job = job_of(parse(await body(request, JOB_BYTES)))
    placement = await permitted(context, principal, job)
    if isinstance(placement, Placed):
        return ValidationModel(cluster=placement.cluster, message="")
    return ValidationModel(cluster=None, message=placement.because)


@router.get("/jobs", responses=responses("invalid-request", "forbidden"))
async def list_jobs(
    context: ServiceContext,
    principal: Caller,
    owner: Annotated[str | None, Query(max_length=256, description="`me` for one's own.")] = None,
    name: Annotated[str | None, Query(max_length=56)] = None,
    queue: Annotated[str | None, Query(max_length=127, description="`organization.project`.")] = None,
    tier: Annotated[int | None, Query(ge=1, le=3)] = None,
    workflow: Annotated[str | None, Query(max_length=200)] = None,
    state: Annotated[list[StateName] | None, Query(description="Any of these.")] = None,
    limit: Annotated[int, Query(ge=1, le=PAGE)] = 100,
    cursor: Annotated[str | None, Query(max_length=100, description="`next` of the page before.")] = None,
) -> PageModel:
    """List jobs, the newest first. Without a right to see more, those of one queue or of oneself."""
    owner = principal.name if owner == "me" else owner
    _may_list(context, principal, owner, queue)
    filters = {"principal": owner, "name": name, "queue": queue, "tier": tier, "workflow": workflow}
    rows = await reading.jobs(
        context.pool,
        {key: value for key, value in filters.items() if value is not None},
        [State(state_name) for state_name in state or ()],
        _read_cursor(cursor),
        limit,
    )
    last = rows[-1].id if len(rows) == limit else None
    return PageModel(jobs=[JobModel(**_fields(row)) for row in rows], next=_cursor(last) if last else None)


@router.get(
    "/jobs/{job}", responses=responses("no-such-job", "in-history", "too-many-waits", "invalid-request")
)
async def get_job(
    context: ServiceContext,
    principal: Caller,
    row: Row,
    wait: Annotated[
        str | None, Query(max_length=10, description="`30s`: answer at its end, or after so long.")
    ] = None,
) -> WholeJobModel:
    """A job with its attempts; it is here while history is kept, whatever Kubernetes has forgotten."""
    seconds = _seconds(wait)
    if seconds and row.state not in ENDED:
        row = await _until_ended(context, principal, row, seconds)
    attempts = await reading.attempts(context.pool, row.id)
    targets = (await context.directory.current()).targets
    return WholeJobModel(
        **_fields(row),
        attempts=[
            AttemptModel(**vars(attempt), links=_links(attempt, targets.get(attempt.cluster)))
            for attempt in attempts
        ],
    )


@router.get("/jobs/{job}/document", responses=responses("no-such-job", "in-history"))
async def get_document(context: ServiceContext, row: Row) -> dict[str, Any]:
    """The job as it was sent."""
    return await reading.document(context.pool, row.id) or {}


@router.get(
    "/jobs/{job}/events",
    response_model=EventsModel,
    responses={
        200: {
            "model": EventsModel,
            "description": "All of them; as a stream, with `Accept: text/event-stream`, also those to come.",
            "content": {"text/event-stream": {"schema": {"$ref": "#/components/schemas/EventModel"}}},
        },
        **responses("no-such-job", "in-history", "too-many-waits", "invalid-request"),
    },
)
async def get_events(
    context: ServiceContext,
    principal: Caller,
    row: Row,
    accept: Annotated[str, Header()] = "",
    last: Annotated[
        str | None,
        Header(alias="Last-Event-ID", max_length=9, description="Those after it; a stream goes on there."),
    ] = None,
) -> Response:
    """What happened to a job, in order."""
    if last is not None and not last.isdecimal():
        raise mistakes([("Last-Event-ID", "is the number of an event: send back what a stream gave as `id`")])
    after = int(last or 0)
    if "text/event-stream" in accept:
        return StreamingResponse(_stream(context, principal, row, after), media_type="text/event-stream")
    events = await reading.events(context.pool, row.id, after)
    answer = EventsModel(events=[EventModel(**vars(event)) for event in events])
    return Response(answer.model_dump_json(), media_type="application/json")


@router.post(
    "/jobs/{job}/stop", status_code=202, responses=responses("no-such-job", "in-history", "forbidden")
)
async def stop(context: ServiceContext, principal: Caller, row: Row) -> JobModel:
    """Have a job end. It may be asked of a job that has ended, and changes nothing then."""
    return await _want(context, principal, row, DesiredState.STOP)


@router.delete("/jobs/{job}", status_code=202, responses=responses("no-such-job", "in-history", "forbidden"))
async def delete(context: ServiceContext, principal: Caller, row: Row) -> JobModel:
    """Have a job end, and its application removed; its history stays."""
    return await _want(context, principal, row, DesiredState.DELETE)


async def _want(context: Context, principal: Caller, row: JobRow, desired_state: DesiredState) -> JobModel:
    permit(context, principal, "stop", row.queue, row.tier, row.principal)
    message = f"stopped by {principal.name}"
    await context.pool.run(
        lambda connection: transitions.want(connection, [row.id], desired_state, Reason.STOPPED, message)
    )
    context.traces.ended([row.id])
    now = await reading.get(context.pool, row.id)
    return JobModel(**_fields(now or row))


def _may_list(context: Context, principal: Caller, owner: str | None, queue: str | None) -> None:
    """Raises Problem where the filters leave more than somebody may see."""
    if owner == principal.name or context.policy.may_see_all(principal):
        return
    if queue is not None and context.policy.allows(principal, "see", queue):
        return
    denied(principal, "see", queue=queue, owner=owner)
    raise Problem(
        "forbidden",
        "You may not see all of these jobs: add `owner=me`, or `queue=` with one whose jobs you may see.",
    )


async def _until_ended(context: Context, principal: Caller, row: JobRow, seconds: float) -> JobRow:
    """The job once it has ended, or after so long."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    while (
        row.state not in ENDED and not context.changes.leaving and (remainder := deadline - loop.time()) > 0
    ):
        with context.changes.of(row.id, row.event or 0, principal.name) as change:
            try:
                async with asyncio.timeout(remainder):
                    await change.wait()
            except TimeoutError:
                break
        row = await reading.get(context.pool, row.id) or row
    return row


async def _stream(context: Context, principal: Caller, row: JobRow, after: int) -> AsyncIterator[bytes]:
    """The events of a job as they come, until it has ended."""
    while True:
        # Asked before its events: what ends it meanwhile is among them, or comes with the next.
        ended = (await reading.get(context.pool, row.id) or row).state in ENDED
        events = await reading.events(context.pool, row.id, after)
        for event in events:
            data = EventModel(**vars(event)).model_dump_json()
            yield format_sse_event(id=str(event.number), event="state", data_str=data)
            after = event.number
            if State(event.state) in ENDED:
                return
        if not events and ended:
            return
        if context.changes.leaving:
            # Its client goes on elsewhere, after the last event that it has.
            return
        with context.changes.of(row.id, after, principal.name) as change:
            try:
                async with asyncio.timeout(QUIET_SECONDS):
                    await change.wait()
            except TimeoutError:
                yield format_sse_event(comment="waiting")


def _fields(row: JobRow) -> dict[str, Any]:
    return {
        "id": id_text(row.id),
        "name": row.name,
        "owner": row.principal,
        "queue": row.queue,
        "tier": row.tier,
        "workflow": row.workflow,
        "state": str(row.state),
        "wanted": row.wanted,
        "reason": row.reason,
        "message": row.message,
        "cluster": row.cluster,
        "namespace": row.namespace,
        "attempt": row.attempt,
        "submitted": submitted_at(row.id),
        "started": row.started,
        "ended": row.ended,
    }


def _links(attempt: reading.AttemptRow, target: JobTarget | None) -> LinksModel:
    """Where more of an attempt is to be seen, by the addresses that its cluster told."""
    if target is None:
        return LinksModel()
    host = ui_host(attempt.application, attempt.namespace, target.ui_domain)
    live = attempt.started is not None and attempt.ended is None
    history = f"{target.history_url}/history/{attempt.spark_id}/" if attempt.spark_id else None
    return LinksModel(ui=f"{target.ui_scheme}://{host}/" if live else None, history=history)


def _cursor(last: UUID) -> str:
    return base64.urlsafe_b64encode(f"v1:{id_text(last)}".encode()).decode()


def _read_cursor(cursor: str | None) -> UUID | None:
    """The job before which a page begins. Raises Problem."""
    if cursor is None:
        return None
    try:
        version, _, text = base64.urlsafe_b64decode(cursor.encode("ascii")).decode("ascii").partition(":")
    except ValueError:
        version, text = "", ""
    last = parse_id(text) if version == "v1" else None
    if last is None:
        raise mistakes([("cursor", "is none that a page gave as `next`: begin without one")])
    return last


def _seconds(wait: str | None) -> int:
    """Seconds to wait. Raises Problem."""
    if wait is None:
        return 0
    match = re.fullmatch(r"(\d{1,2})s", wait)
    if match is None or int(match[1]) > LONGEST_WAIT_SECONDS:
        raise mistakes([("wait", f"is {wait!r}: write seconds up to {LONGEST_WAIT_SECONDS}s, such as 30s")])
    return int(match[1])
