"""Operations on routes."""

from typing import Annotated

import asyncpg
from fastapi import APIRouter, Depends, Query

from services.archer.database.pool import Connection
from services.archer.service.bodies import sent, takes
from services.archer.service.clusters import operate
from services.archer.service.context import Caller, Here
from services.archer.service.models import RouteModel, RoutesModel, WrittenRouteModel
from services.archer.service.problems import Problem, mistakes, responses

router = APIRouter(prefix="/v1", tags=["routes"])

COLUMNS = "id, workflow, cluster, namespace, queue, architecture, since, why, by, ended, ended_by, plan"

END = "UPDATE routes SET ended = now(), ended_by = $2 WHERE workflow = $1 AND ended IS NULL"

WRITE = f"""
INSERT INTO routes (workflow, cluster, namespace, queue, architecture, since, why, by)
VALUES ($1, $2, $3, $4, $5, now(), $6, $7) RETURNING {COLUMNS}
"""


@router.get("/routes", responses=responses())
async def list_routes(
    here: Here,
    principal: Caller,
    workflow: Annotated[str | None, Query(max_length=200)] = None,
    history: Annotated[bool, Query(description="Also those that are no more.")] = False,
) -> RoutesModel:
    """Routes, the latest first."""
    rows = await here.pool.fetch(
        f"SELECT {COLUMNS} FROM routes WHERE (ended IS NULL OR $1) AND ($2::text IS NULL OR workflow = $2) "
        "ORDER BY id DESC LIMIT 10000",
        history,
        workflow,
    )
    return RoutesModel(routes=[WrittenRouteModel(**row) for row in rows])


@router.put("/routes", openapi_extra=takes(RouteModel), responses=responses("too-large", "wrong-media-type"))
async def write_route(
    here: Here, principal: Caller, route: Annotated[RouteModel, Depends(sent(RouteModel))]
) -> WrittenRouteModel:
    """Set where the jobs of a workflow, or of a pattern, go from now on; those that wait stay."""
    operate(here, principal, f"route of {route.workflow}")
    around = await here.around.now()
    if route.cluster is not None and route.cluster not in around.targets:
        known = ", ".join(sorted(around.targets)) or "none"
        raise mistakes([("cluster", f"is {route.cluster!r}, which is not there; there are {known}")])

    async def write(connection: Connection) -> asyncpg.Record:
        await connection.execute(END, route.workflow, principal.name)
        row = await connection.fetchrow(
            WRITE,
            route.workflow,
            route.cluster,
            route.namespace,
            route.queue,
            route.architecture,
            route.why,
            principal.name,
        )
        assert row is not None, "INSERT returns the row"
        return row

    row = await here.pool.run(write)
    await here.around.refresh()
    return WrittenRouteModel(**row)


@router.delete("/routes/{workflow}", status_code=204, responses=responses("no-such-route", "forbidden"))
async def end_route(here: Here, principal: Caller, workflow: str) -> None:
    """End a route: its jobs go where they fit."""
    operate(here, principal, f"route of {workflow[:200]}")
    done = await here.pool.run(lambda connection: connection.execute(END, workflow, principal.name))
    if done == "UPDATE 0":
        raise Problem("no-such-route", f"There is no route of {workflow[:200]!r}: GET /v1/routes lists them.")
    await here.around.refresh()
