"""Operations on routes."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from services.archer.database import routes
from services.archer.service.bodies import body_as, takes
from services.archer.service.clusters import operate
from services.archer.service.context import Caller, ServiceContext
from services.archer.service.models import RouteModel, RoutesModel, WrittenRouteModel
from services.archer.service.problems import Problem, mistakes, responses

router = APIRouter(prefix="/v1", tags=["routes"])


@router.get("/routes", responses=responses())
async def list_routes(
    context: ServiceContext,
    principal: Caller,
    workflow: Annotated[str | None, Query(max_length=200)] = None,
    history: Annotated[bool, Query(description="Also those that are no more.")] = False,
) -> RoutesModel:
    """Routes, the latest first."""
    rows = await context.pool.run(lambda connection: routes.routes(connection, workflow, history))
    return RoutesModel(routes=[WrittenRouteModel(**row) for row in rows])


@router.put("/routes", openapi_extra=takes(RouteModel), responses=responses("too-large", "wrong-media-type"))
async def write_route(
    context: ServiceContext, principal: Caller, route: Annotated[RouteModel, Depends(body_as(RouteModel))]
) -> WrittenRouteModel:
    """Set where the jobs of a workflow, or of a pattern, go from now on; those that wait stay."""
    operate(context, principal, f"route of {route.workflow}")
    surroundings = await context.directory.current()
    if route.cluster is not None and route.cluster not in surroundings.targets:
        cluster_names = ", ".join(sorted(surroundings.targets)) or "none"
        raise mistakes([("cluster", f"is {route.cluster!r}, which is not there; there are {cluster_names}")])

    row = await context.pool.run(lambda c: routes.write(c, route.model_dump(), principal.name))
    await context.directory.refresh()
    return WrittenRouteModel(**row)


@router.delete("/routes/{workflow}", status_code=204, responses=responses("no-such-route", "forbidden"))
async def end_route(context: ServiceContext, principal: Caller, workflow: str) -> None:
    """End a route: its jobs go where they fit."""
    operate(context, principal, f"route of {workflow[:200]}")
    if not await context.pool.run(lambda c: routes.end(c, workflow, principal.name)):
        raise Problem("no-such-route", f"There is no route of {workflow[:200]!r}: GET /v1/routes lists them.")
    await context.directory.refresh()
