"""A cluster, as a worker reaches it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moka.jobs.job_target import JobTarget
from moka.submission.observation import Object
from services.archer.database.claims import Pace
from services.common.kubernetes import Api

APPLICATIONS = "apis/sparkoperator.k8s.io/v1beta2"


@dataclass(frozen=True)
class Cluster:
    """A cluster and its API server.

    paces: of its operators, with their namespaces. target: what jobs have to know of it.
    """

    name: str
    api: Api
    paces: Sequence[Pace]
    target: JobTarget

    @property
    def namespaces(self) -> list[str]:
        """In which jobs run."""
        return sorted({namespace for pace in self.paces for namespace in pace.namespaces})

    async def create(self, application: Object) -> Mapping[str, Any]:
        """Make an application. Raises ApiError."""
        return await self.api.create(applications(application["metadata"]["namespace"]), application)

    async def application(self, namespace: str, name: str) -> Object | None:
        """An application; None where there is none. Raises ApiError."""
        return await self.api.get(f"{applications(namespace)}/{name}")

    async def remove(self, namespace: str, name: str) -> bool:
        """Have an application deleted; whether there was one. Raises ApiError."""
        return await self.api.delete(f"{applications(namespace)}/{name}")

    async def let_go(self, application: Object, finalizer: str) -> None:
        """Take a finalizer off an application, that was there when it was read. Raises ApiError."""
        metadata = application["metadata"]
        at = metadata["finalizers"].index(finalizer)
        path = f"/metadata/finalizers/{at}"
        await self.api.patch(
            f"{applications(metadata['namespace'])}/{metadata['name']}",
            [{"op": "test", "path": path, "value": finalizer}, {"op": "remove", "path": path}],
        )

    async def pod(self, namespace: str, name: str) -> Object | None:
        """A pod; None where there is none. Raises ApiError."""
        return await self.api.get(f"/api/v1/namespaces/{namespace}/pods/{name}")

    async def remove_pod(self, namespace: str, name: str) -> bool:
        """Have a pod deleted; whether there was one. Raises ApiError."""
        return await self.api.delete(f"/api/v1/namespaces/{namespace}/pods/{name}")

    async def namespace_deleted(self, namespace: str) -> bool:
        """Whether a namespace is gone, or going. Raises ApiError."""
        found = await self.api.get(f"/api/v1/namespaces/{namespace}")
        return found is None or bool(found["metadata"].get("deletionTimestamp"))


def applications(namespace: str) -> str:
    """Path of the applications in a namespace."""
    return f"/{APPLICATIONS}/namespaces/{namespace}/sparkapplications"
