"""Operations on clusters."""

from collections.abc import Iterable
from typing import Annotated

from fastapi import APIRouter, Depends

from moka.submission.placement import Cluster
from services.archer.database.pool import Connection
from services.archer.service.bodies import body_as, takes
from services.archer.service.context import Caller, Context, ServiceContext, audit
from services.archer.service.models import ClusterModel, ClustersModel, CordonModel
from services.archer.service.problems import Problem, responses
from services.common.logs import fields

router = APIRouter(prefix="/v1", tags=["clusters"])


@router.get("/clusters", responses=responses())
async def list_clusters(context: ServiceContext, principal: Caller) -> ClustersModel:
    """The clusters, with their queues and namespaces, and whether they take jobs."""
    surroundings = await context.directory.current()
    return ClustersModel(
        clusters=[
            _model(cluster, surroundings.targets[cluster.name].namespaces)
            for cluster in surroundings.clusters
        ]
    )


@router.put(
    "/clusters/{cluster}/cordon",
    openapi_extra=takes(CordonModel),
    responses=responses("no-such-cluster", "too-large", "wrong-media-type"),
)
async def cordon(
    context: ServiceContext,
    principal: Caller,
    cluster: str,
    wish: Annotated[CordonModel, Depends(body_as(CordonModel))],
) -> ClusterModel:
    """Have a cluster take no more jobs: those that may move go elsewhere, the others wait."""
    return await _cordon(context, principal, cluster, wish.why)


@router.delete("/clusters/{cluster}/cordon", responses=responses("no-such-cluster", "forbidden"))
async def uncordon(context: ServiceContext, principal: Caller, cluster: str) -> ClusterModel:
    """Have a cluster take jobs again."""
    return await _cordon(context, principal, cluster, None)


async def _cordon(context: Context, principal: Caller, name: str, why: str | None) -> ClusterModel:
    operate(context, principal, f"cordon of {name[:63]}")

    async def write(connection: Connection) -> bool:
        done = await connection.execute(
            "UPDATE clusters SET cordoned = $2, cordoned_by = $3 WHERE name = $1", name, why, principal.name
        )
        return done == "UPDATE 1"

    if not await context.pool.run(write):
        raise Problem("no-such-cluster", f"There is no cluster {name[:63]!r}: GET /v1/clusters lists them.")
    await context.directory.refresh()
    surroundings = await context.directory.current()
    for cluster in surroundings.clusters:
        if cluster.name == name:
            return _model(cluster, surroundings.targets[name].namespaces)
    raise Problem(
        "no-such-cluster",
        f"Cluster {name} has not reported its queues and namespaces yet: ask again in a minute.",
    )


def operate(context: Context, principal: Caller, what: str) -> None:
    """Refuse somebody who may not operate, and write down either. Raises Problem."""
    allowed = context.policy.allows(principal, "operate", "*.*")
    audit.info("asked", extra=fields(who=principal.name, action="operate", what=what, allowed=allowed))
    if not allowed:
        raise Problem(
            "forbidden",
            f"{principal.name} may not operate clusters, routes and plans: ask those who keep Archer's "
            "settings.",
        )


def _model(cluster: Cluster, namespaces: Iterable[str]) -> ClusterModel:
    return ClusterModel(
        name=cluster.name,
        queues=sorted(cluster.queues),
        namespaces=sorted(namespaces),
        cordoned=cluster.cordoned,
        healthy=cluster.healthy,
        waiting=cluster.waiting,
    )
