"""From what is sent to what is taken."""

import hashlib
import re
from datetime import UTC, datetime
from typing import Any

import orjson
from opentelemetry import trace

from moka.jobs import checks
from moka.jobs.job import Job
from moka.jobs.job_file import JOB_FILE, draft_of
from moka.mistakes import InvalidDocument, Mistake
from moka.plain_secrets import plain_secrets
from moka.submission.job_id import id_text, new_id
from moka.submission.placement import Misplaced, Placed, Unplaced, place
from moka.submission.rights import Principal
from moka.submission.routes import route_of
from services.archer.database.acceptance import (
    Acceptance,
    AnotherIsActive,
    KeyReused,
    Outcome,
    Submission,
    accept_unique,
)
from services.archer.service.context import Context, permit
from services.archer.service.problems import Problem, mistakes

KEY = re.compile(r"[!-~]{1,255}")
"""Of `Idempotency-Key`."""


MOST_VALUES = 5_000
"""Keys and values of a job: nobody else is answered while each is looked at."""


def key_of(header: str | None) -> str | None:
    """The Idempotency-Key of a request. Raises Problem."""
    if header is not None and not KEY.fullmatch(header):
        raise mistakes([("Idempotency-Key", "has to be 1 to 255 visible ASCII characters")])
    return header


def job_of(document: Any) -> Job:
    """The job that a document is. Raises Problem with all of its mistakes."""
    if not isinstance(document, dict):
        raise _invalid([Mistake("job", f"has to be keys and values, as in {JOB_FILE.example}")])
    if values(document) > MOST_VALUES:
        raise _invalid([Mistake("job", f"has more than {MOST_VALUES} keys and values; send less")])
    # Alone: what else is wrong would be said with values.
    if secrets := list(plain_secrets(document)):
        raise _invalid(secrets)
    try:
        draft = draft_of(document, "job")
    except InvalidDocument as error:
        # Nested too deeply, for one.
        raise Problem("invalid-job", str(error)) from None
    if draft.mistakes or draft.job is None:
        raise _invalid(
            [
                mistake if isinstance(mistake, Mistake) else Mistake("job", mistake)
                for mistake in draft.mistakes
            ]
        )
    return draft.job


def values(document: Any) -> int:
    """Keys and values of a document, counted up to MOST_VALUES."""
    count, remainder = 0, [document]
    while remainder and count <= MOST_VALUES:
        item = remainder.pop()
        count += 1
        if isinstance(item, dict):
            count += len(item)
            remainder += item.values()
        elif isinstance(item, list):
            remainder += item
    return count


def _invalid(wrong: list[Mistake]) -> Problem:
    return Problem(
        "invalid-job",
        " ".join(str(mistake) for mistake in wrong),
        mistakes=[{"at": mistake.at, "says": mistake.says} for mistake in wrong],
    )


async def where(context: Context, job: Job) -> Placed | Unplaced:
    """Where a job would go now. Raises Problem where no cluster could ever take it."""
    surroundings = await context.directory.current()
    placement = place(
        job,
        route_of(job.workflow, surroundings.routes, surroundings.now),
        surroundings.clusters,
        lambda job, cluster: checks.mistakes(job, surroundings.targets[cluster]),
    )
    if isinstance(placement, Misplaced):
        raise _invalid(list(placement.mistakes))
    return placement


async def permitted(context: Context, principal: Principal, job: Job) -> Placed | Unplaced:
    """Where a job would go now, of somebody who may have it there. Raises Problem.

    The right is to the queue that its route gives it: anybody can name a workflow that has a route.
    """
    permit(context, principal, "submit", job.queue, job.tier)
    placement = await where(context, job)
    if isinstance(placement, Placed) and placement.job.queue != job.queue:
        permit(context, principal, "submit", placement.job.queue, job.tier)
    return placement


async def submission_of(context: Context, principal: Principal, document: Any, key: str | None) -> Submission:
    """What is to be taken of a document. Raises Problem."""
    job = job_of(document)
    placement = await permitted(context, principal, job)
    placed = placement.job if isinstance(placement, Placed) else job
    return Submission(
        id=new_id(datetime.now(UTC)),
        principal=principal.name,
        groups=sorted(principal.groups),
        key=key,
        hash=hashlib.sha256(orjson.dumps(document, option=orjson.OPT_SORT_KEYS)).digest(),
        name=job.name,
        queue=placed.queue,
        tier=job.tier,
        workflow=job.workflow,
        architecture=placed.architecture,
        document=document,
        namespace=placed.namespace,
        cluster=placement.cluster if isinstance(placement, Placed) else None,
        movable=isinstance(placement, Placed) and placement.movable,
        message="" if isinstance(placement, Placed) else placement.because,
        unique=job.unique,
        unique_key=f"{job.queue}/{job.unique.key}" if job.unique else None,
    )


async def take(context: Context, principal: Principal, submission: Submission) -> Acceptance:
    """Take a job: it is in the database when this returns. Raises Problem."""
    outcome = await _accept(context, principal, submission)
    match outcome:
        case Acceptance(job):
            trace.get_current_span().set_attribute("moka.job", id_text(job))
            context.traces.ended(outcome.replaced)
            return outcome
        case KeyReused(job):
            raise Problem(
                "key-reused",
                f"Idempotency-Key {submission.key} came before with another request, of which job "
                f"{id_text(job)} was made: send that request again, or give this one a key of its own.",
                job=id_text(job),
            )
        case AnotherIsActive(job):
            assert submission.unique is not None
            raise Problem(
                "another-is-active",
                f"Job {id_text(job)} of unique key {submission.unique.key} is active: wait for its end, or "
                "write `second: return` or `second: replace` into `unique`.",
                job=id_text(job),
            )


async def _accept(context: Context, principal: Principal, submission: Submission) -> Outcome:
    with context.traces.span("accept", submission.id):
        if submission.unique is None:
            return await context.acceptor.accept(submission)

        def may_replace(queue: str, tier: int, owner: str) -> None:
            permit(context, principal, "stop", queue, tier, owner)

        return await accept_unique(context.pool, submission, may_replace)
