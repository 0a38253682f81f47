"""Operations on plans."""

from asyncio import to_thread
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, Query

from moka.allocation import plan_checks
from moka.allocation.cluster_settings import ClusterSettings
from moka.allocation.plan import Plan, read
from moka.allocation.queue_amounts import QueueAmounts
from moka.mistakes import InvalidDocument, Mistake
from services.archer.database import plans
from services.archer.database.plans import PlanRefused, RevisionRow, Step
from services.archer.database.pool import Connection
from services.archer.service.bodies import MOST_MISTAKES, PLAN_BYTES, body_as, takes
from services.archer.service.clusters import operate
from services.archer.service.context import Caller, Context, ServiceContext
from services.archer.service.models import (
    AppliedModel,
    ApplyModel,
    BroughtModel,
    PlanModel,
    PlansModel,
    PlanState,
    ReasonModel,
    RevisionModel,
    StepModel,
    WholePlanModel,
)
from services.archer.service.problems import Problem, mistakes, responses

PAGE = 1000
"""Plans of an answer at most."""

REVISIONS = 100

CLOCKS_APART = timedelta(minutes=5)

router = APIRouter(prefix="/v1", tags=["plans"])

T = TypeVar("T")

STEP = ("no-such-plan", "plan-refused", "another-revision", "too-large", "wrong-media-type")


@router.post(
    "/plans",
    openapi_extra=takes(Plan),
    responses=responses("invalid-plan", "plan-exists", "too-large", "wrong-media-type"),
)
async def propose_plan(
    context: ServiceContext, principal: Caller, plan: Annotated[Plan, Depends(body_as(Plan, PLAN_BYTES))]
) -> PlanModel:
    """Have a plan wait for review, once it fits the clusters; the same again changes nothing."""
    operate(context, principal, f"plan {plan.id}: propose")
    if plan.moment > datetime.now(UTC) + CLOCKS_APART:
        raise mistakes(
            [("made", f"is {plan.made}, which is still to come: look at the clock of what made it")]
        )
    if wrong := await to_thread(plan_checks.mistakes, plan, await _clusters(context)):
        raise _mistakes("invalid-plan", wrong)
    return PlanModel(**asdict(await _run(context, lambda c: plans.propose(c, plan, principal.name))))


@router.get("/plans", responses=responses())
async def list_plans(
    context: ServiceContext,
    principal: Caller,
    state: PlanState | None = None,
    limit: Annotated[int, Query(ge=1, le=PAGE)] = 100,
) -> PlansModel:
    """Plans, the latest first, what is in force, and which clusters have it."""

    async def look(connection: Connection) -> PlansModel:
        revisions = [RevisionModel(**asdict(row)) for row in await plans.revisions(connection, REVISIONS)]
        return PlansModel(
            in_force=revisions[0],
            clusters=[BroughtModel(**row) for row in await plans.clusters(connection)],
            revisions=revisions,
            plans=[PlanModel(**asdict(row)) for row in await plans.plans(connection, limit, state)],
        )

    return await context.pool.run(look)


@router.get("/plans/{plan}", responses=responses("no-such-plan"))
async def get_plan(context: ServiceContext, principal: Caller, plan: str) -> WholePlanModel:
    """A plan."""
    row, document = await _run(context, lambda connection: plans.plan(connection, plan))
    return WholePlanModel(**asdict(row), document=_plan(document))


@router.post(
    "/plans/{plan}/apply",
    openapi_extra=takes(ApplyModel),
    responses=responses(*STEP, "invalid-plan", "waits-for-a-person"),
)
async def apply_plan(
    context: ServiceContext,
    principal: Caller,
    plan: str,
    wish: Annotated[ApplyModel, Depends(body_as(ApplyModel))],
) -> AppliedModel:
    """Have a plan that waits take effect: amounts of queues and routes at once, or neither."""
    operate(context, principal, f"plan {plan[:63]}: apply")
    _, document = await _run(context, lambda connection: plans.plan(connection, plan))
    whole, clusters = _plan(document), await _clusters(context)
    if wrong := list(plan_checks.other_settings(whole, clusters)):
        raise Problem("plan-refused", f"Plan {whole.id} was made for other settings: {wrong[0]}")
    if wrong := await to_thread(plan_checks.mistakes, whole, clusters):
        raise _mistakes("invalid-plan", wrong)
    if wish.by_itself and (wrong := await _excess(context, whole, clusters)):
        raise _mistakes("waits-for-a-person", wrong)
    digests = {name: planned.settings for name, planned in whole.clusters.items()}
    step = Step(
        kind="apply",
        plan=whole,
        after=wish.revision,
        request=wish.request,
        by=principal.name,
        why=wish.why,
        digests=digests,
    )
    return await _step(context, step)


@router.post("/plans/{plan}/rollback", openapi_extra=takes(StepModel), responses=responses(*STEP))
async def roll_back_plan(
    context: ServiceContext,
    principal: Caller,
    plan: str,
    wish: Annotated[StepModel, Depends(body_as(StepModel))],
) -> AppliedModel:
    """Have a plan take effect that was in force before, as far as it fits the settings of today."""
    operate(context, principal, f"plan {plan[:63]}: rollback")
    _, document = await _run(context, lambda connection: plans.plan(connection, plan))
    whole = _plan(document)
    targets = (await context.directory.current()).targets
    left_out = {
        workflow: f"{workflow} keeps no route: cluster {route.cluster} is not there any more."
        for workflow, route in whole.routes.items()
        if route.cluster not in targets
    }
    wrong = await to_thread(plan_checks.mistakes, whole, await _clusters(context))
    step = Step(
        kind="rollback",
        plan=whole,
        after=wish.revision,
        request=wish.request,
        by=principal.name,
        why=wish.why,
        left_out=set(left_out),
    )
    # Amounts stay within the settings by themselves (moka/allocation/queues_in_force.py).
    return await _step(context, step, [*left_out.values(), *map(str, wrong)][:MOST_MISTAKES])


@router.post("/plans/withdraw", openapi_extra=takes(StepModel), responses=responses(*STEP))
async def withdraw_plan(
    context: ServiceContext, principal: Caller, wish: Annotated[StepModel, Depends(body_as(StepModel))]
) -> AppliedModel:
    """Have no plan in force: queues are as the settings have them, and routes of plans end."""
    operate(context, principal, "plan: withdraw")
    step = Step(
        kind="withdrawal",
        plan=None,
        after=wish.revision,
        request=wish.request,
        by=principal.name,
        why=wish.why,
    )
    return await _step(context, step)


@router.post(
    "/plans/{plan}/refuse",
    openapi_extra=takes(ReasonModel),
    responses=responses("no-such-plan", "plan-refused", "too-large", "wrong-media-type"),
)
async def refuse_plan(
    context: ServiceContext,
    principal: Caller,
    plan: str,
    wish: Annotated[ReasonModel, Depends(body_as(ReasonModel))],
) -> PlanModel:
    """Have a plan that waits never take effect."""
    operate(context, principal, f"plan {plan[:63]}: refuse")
    row = await _run(context, lambda connection: plans.refuse(connection, plan, principal.name, wish.why))
    return PlanModel(**asdict(row))


async def _step(context: Context, step: Step, left_out: list[str] | None = None) -> AppliedModel:
    row: RevisionRow = await _run(context, lambda connection: plans.step(connection, step))
    await context.directory.refresh()
    return AppliedModel(**asdict(row), left_out=left_out or [])


async def _excess(context: Context, plan: Plan, clusters: Mapping[str, ClusterSettings]) -> list[Mistake]:
    """Why a plan that nobody has looked at is to wait for somebody."""

    async def look(connection: Connection) -> tuple[dict[str, QueueAmounts], dict[str, str | None], datetime]:
        routes = await connection.fetch(
            "SELECT workflow, cluster FROM routes WHERE ended IS NULL AND plan IS NOT NULL"
        )
        return (
            {name: await plans.amounts(connection, name) for name in clusters},
            {row["workflow"]: row["cluster"] for row in routes},
            await connection.fetchval("SELECT now()"),
        )

    amounts, before, now = await context.pool.run(look)
    after = {workflow: route.cluster for workflow, route in plan.routes.items()}
    moved_workflows = [name for name in {*before, *after} if before.get(name) != after.get(name)]
    return await to_thread(lambda: list(plan_checks.beyond(plan, amounts, clusters, moved_workflows, now)))


def _plan(document: Mapping[str, Any]) -> Plan:
    """The plan that is kept. Raises Problem for one of another version."""
    try:
        return read(document, "plan")
    except InvalidDocument as error:
        raise Problem("plan-refused", f"This version cannot read it: {str(error).splitlines()[0]}") from None


async def _clusters(context: Context) -> dict[str, ClusterSettings]:
    """The clusters that said what queues they have."""
    reported = await context.pool.run(plans.reported_queues)
    return await to_thread(_settings, reported)


def _settings(reported: Mapping[str, Mapping[str, str]]) -> dict[str, ClusterSettings]:
    return {name: _settings_of(tuple(sorted(files.items()))) for name, files in reported.items()}


@lru_cache(maxsize=64)
def _settings_of(files: tuple[tuple[str, str], ...]) -> ClusterSettings:
    """What a cluster said, whose worker has read it: what this version cannot read is a fault."""
    return ClusterSettings.of_data(dict(files))


async def _run(context: Context, work: Callable[[Connection], Awaitable[T]]) -> T:
    """What is made of a transaction. Raises Problem where it is refused."""
    try:
        return await context.pool.run(work)
    except PlanRefused as error:
        raise Problem(error.kind, str(error)) from None


def _mistakes(kind: str, wrong: list[Mistake]) -> Problem:
    first, *others = wrong
    more = f" There are {len(others)} more mistakes." if others else ""
    return Problem(
        kind,
        f"{first}{more}",
        mistakes=[{"at": mistake.at, "says": mistake.says} for mistake in wrong[:MOST_MISTAKES]],
    )
