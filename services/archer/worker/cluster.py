"""A cluster, as a worker reaches it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moka.jobs.job_target import JobTarget
from moka.names import YUNIKORN_CONFIGS, YUNIKORN_NAMESPACE
from moka.queues import config_map
from moka.submission.observation import Object
from services.archer.database.claims import Pace
from services.common.kubernetes import Api, ApiError

APPLICATIONS = "apis/sparkoperator.k8s.io/v1beta2"

QUEUES = f"/api/v1/namespaces/{YUNIKORN_NAMESPACE}/configmaps/{YUNIKORN_CONFIGS}"

PAGE = 500
"""Objects of a list that are read at once."""


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

    async def is_absent(self, namespace: str, name: str) -> bool:
        """Whether there is no application of this name. Raises ApiError.

        By a list: 404 for one is also the answer of an API server that does not serve any yet.
        """
        path = applications(namespace)
        answer = await self.api.get(path, fieldSelector=f"metadata.name={name}")
        if answer is None:
            raise ApiError(404, f"404 for GET {path}")
        return not answer["items"]

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

    async def pending_pods(self, namespace: str, label: str, most: int) -> list[Object] | None:
        """Pods with a label that are Pending; None where there are more than so many. Raises ApiError."""
        return await self._items(
            f"/api/v1/namespaces/{namespace}/pods",
            most,
            labelSelector=label,
            fieldSelector="status.phase=Pending",
        )

    async def pod_events(self, namespace: str, reason: str, most: int) -> list[Object] | None:
        """Events of pods, of one reason; None where there are more than so many. Raises ApiError."""
        return await self._items(
            f"/api/v1/namespaces/{namespace}/events",
            most,
            fieldSelector=f"reason={reason},involvedObject.kind=Pod",
        )

    async def queues(self) -> str | None:
        """YuniKorn's queues.yaml as it is in force; None where it may not be read. Raises ApiError."""
        try:
            queues_map = await self.api.get(QUEUES)
        except ApiError as error:
            if error.status == 403:
                return None
            raise
        return config_map.in_force(queues_map or {})

    async def _items(self, path: str, most: int, **query: str) -> list[Object] | None:
        items: list[Object] = []
        token = ""
        while True:
            page = await self.api.get(
                path, limit=str(PAGE), **query, **({"continue": token} if token else {})
            )
            if page is None:
                return []
            items += page["items"]
            token = page["metadata"].get("continue") or ""
            if not token:
                return items
            if len(items) >= most:
                return None

    async def namespace_deleted(self, namespace: str) -> bool:
        """Whether a namespace is gone, or going. Raises ApiError."""
        namespace_object = await self.api.get(f"/api/v1/namespaces/{namespace}")
        return namespace_object is None or bool(namespace_object["metadata"].get("deletionTimestamp"))


def applications(namespace: str) -> str:
    """Path of the applications in a namespace."""
    return f"/{APPLICATIONS}/namespaces/{namespace}/sparkapplications"
