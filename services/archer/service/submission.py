"""From what is sent to what is taken."""

import hashlib
import re
from datetime import UTC, datetime
from typing import Any

import orjson

from moka.jobs import checks
from moka.jobs.job import Job
from moka.jobs.job_file import draft_of
from moka.mistakes import Mistake
from moka.submission.job_id import id_text, new_id
from moka.submission.placement import Misplaced, Placed, Unplaced, place
from moka.submission.rights import Principal
from moka.submission.routes import route_of
from services.archer.database.acceptance import (
    AnotherIsActive,
    KeyReused,
    Outcome,
    Submission,
    Taken,
    accept_unique,
)
from services.archer.service.context import Context, permit
from services.archer.service.problems import Problem, mistakes

KEY = re.compile(r"[!-~]{1,255}")
"""Of `Idempotency-Key`."""


def parse(body: bytes) -> Any:
    """JSON that can be kept. Raises Problem."""
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise mistakes([("body", f"is not JSON: {error}; send a job as `archer submit` does")]) from None
    if b"\\u0000" in body:
        raise mistakes([("body", "has a character U+0000, which no text of a job can have; remove it")])
    return value


def key_of(header: str | None) -> str | None:
    """The Idempotency-Key of a request. Raises Problem."""
    if header is not None and not KEY.fullmatch(header):
        raise mistakes([("Idempotency-Key", "has to be 1 to 255 visible ASCII characters")])
    return header


def job_of(document: Any) -> Job:
    """The job that a document is. Raises Problem with all of its mistakes."""
    draft = draft_of(document, "job")
    if draft.mistakes or draft.job is None:
        raise _invalid([one if isinstance(one, Mistake) else Mistake("job", one) for one in draft.mistakes])
    return draft.job


def _invalid(wrong: list[Mistake]) -> Problem:
    return Problem(
        "invalid-job",
        " ".join(str(mistake) for mistake in wrong),
        mistakes=[{"at": mistake.at, "says": mistake.says} for mistake in wrong],
    )


async def where(here: Context, job: Job) -> Placed | Unplaced:
    """Where a job would go now. Raises Problem where no cluster could ever take it."""
    around = await here.around.now()
    placement = place(
        job,
        route_of(job.workflow, around.routes, around.now),
        around.clusters,
        lambda job, cluster: checks.mistakes(job, around.targets[cluster]),
    )
    if isinstance(placement, Misplaced):
        raise _invalid(list(placement.mistakes))
    return placement


async def permitted(here: Context, principal: Principal, job: Job) -> Placed | Unplaced:
    """Where a job would go now, of somebody who may have it there. Raises Problem.

    The right is to the queue that its route gives it: anybody can name a workflow that has a route.
    """
    permit(here, principal, "submit", job.queue, job.tier)
    placement = await where(here, job)
    if isinstance(placement, Placed) and placement.job.queue != job.queue:
        permit(here, principal, "submit", placement.job.queue, job.tier)
    return placement


async def submission_of(here: Context, principal: Principal, document: Any, key: str | None) -> Submission:
    """What is to be taken of a document. Raises Problem."""
    job = job_of(document)
    placement = await permitted(here, principal, job)
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


async def take(here: Context, submission: Submission) -> Taken:
    """Take a job: it is in the database when this returns. Raises Problem."""
    outcome: Outcome
    if submission.unique is None:
        outcome = await here.acceptor.accept(submission)
    else:
        outcome = await accept_unique(here.pool, submission)
    match outcome:
        case Taken():
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
