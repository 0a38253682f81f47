"""The operation that says why a job waits."""

from typing import Any
from uuid import UUID

from fastapi import APIRouter

from moka.submission.placement import Placed
from moka.submission.states import State
from moka.submission.waiting import Wait, WaitReason, wait_reason
from services.archer.database import reading, waits
from services.archer.service.context import Context, Row, ServiceContext
from services.archer.service.models import WhyModel
from services.archer.service.problems import Problem, responses
from services.archer.service.submission import job_of, where

router = APIRouter(prefix="/v1", tags=["jobs"])


@router.get("/jobs/{job}/why", responses=responses("no-such-job"))
async def why(context: ServiceContext, row: Row) -> WhyModel:
    """Why a job waits, and as of when that is known: workers look at the clusters every few seconds."""
    answer = await waits.why(context.pool, row.id)
    if answer is None:
        now = await reading.get(context.pool, row.id) or row
        return _model(now.state, WaitReason(Wait.NOTHING, f"it has ended: {now.state}"), now.ended, now.ended)
    facts = answer.known
    placing = facts.state is State.ACCEPTED and facts.after is None
    reason = wait_reason(facts, await _unplaced(context, row.id) if placing else "")
    return _model(facts.state, reason, answer.as_of, answer.since)


def _model(state: State, reason: WaitReason, as_of: Any, since: Any) -> WhyModel:
    return WhyModel.model_validate(
        {
            "state": state.value,
            "word": reason.word.value,
            "message": reason.message,
            "as_of": as_of,
            "since": since,
        }
    )


async def _unplaced(context: Context, job: UUID) -> str:
    """Why no cluster takes an accepted job now; empty where one does."""
    try:
        placement = await where(context, job_of(await reading.document(context.pool, job) or {}))
    except Problem as problem:
        return problem.detail
    return "" if isinstance(placement, Placed) else placement.because
