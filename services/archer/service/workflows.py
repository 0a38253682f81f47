"""Operations on workflows: what is known of them, with its history."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from services.archer.database import workflows as known
from services.archer.service.bodies import WORKFLOWS_BYTES, body_as, takes
from services.archer.service.clusters import operate
from services.archer.service.context import Caller, ServiceContext
from services.archer.service.models import (
    ChangedModel,
    ProposedWorkflowsModel,
    SentWorkflowsModel,
    WorkflowModel,
    WorkflowsModel,
)
from services.archer.service.problems import Problem, responses

router = APIRouter(prefix="/v1", tags=["workflows"])


@router.get("/workflows", responses=responses())
async def list_workflows(
    context: ServiceContext,
    principal: Caller,
    workflow: Annotated[str | None, Query(max_length=200)] = None,
    proposed: Annotated[
        bool | None, Query(description="Only those that nobody, or somebody, told of.")
    ] = None,
    history: Annotated[bool, Query(description="Also how they were before.")] = False,
) -> WorkflowsModel:
    """Workflows by name, what holds now before what held."""
    rows = await context.pool.run(lambda c: known.workflows(c, workflow, proposed, history))
    return WorkflowsModel(workflows=[WorkflowModel(**row) for row in rows])


@router.put(
    "/workflows",
    openapi_extra=takes(SentWorkflowsModel),
    responses=responses("too-large", "wrong-media-type"),
)
async def write_workflows(
    context: ServiceContext,
    principal: Caller,
    wish: Annotated[SentWorkflowsModel, Depends(body_as(SentWorkflowsModel, WORKFLOWS_BYTES))],
) -> ChangedModel:
    """Have workflows be so from now on, all at once; others stay as they are."""
    operate(context, principal, f"workflows: write {len(wish.workflows)}")
    count = await context.pool.run(lambda c: known.write(c, wish.workflows, principal.name, wish.why))
    return ChangedModel(changed=count)


@router.post(
    "/workflows/proposals",
    openapi_extra=takes(ProposedWorkflowsModel),
    responses=responses("too-large", "wrong-media-type"),
)
async def propose_workflows(
    context: ServiceContext,
    principal: Caller,
    wish: Annotated[ProposedWorkflowsModel, Depends(body_as(ProposedWorkflowsModel, WORKFLOWS_BYTES))],
) -> ChangedModel:
    """Propose workflows that nobody has told of, with what was measured; those that are known stay."""
    operate(context, principal, f"workflows: propose {len(wish.workflows)}")
    count = await context.pool.run(
        lambda c: known.write(c, wish.workflows, principal.name, wish.why, wish.measured)
    )
    return ChangedModel(changed=count)


@router.delete("/workflows/{workflow}", status_code=204, responses=responses("no-such-workflow"))
async def end_workflow(context: ServiceContext, principal: Caller, workflow: str) -> None:
    """Have a workflow be known no more; its history stays."""
    operate(context, principal, f"workflow {workflow[:200]}: end")
    if not await context.pool.run(lambda c: known.end(c, workflow, principal.name)):
        raise Problem(
            "no-such-workflow", f"No workflow {workflow[:200]!r} is known: GET /v1/workflows lists them."
        )
