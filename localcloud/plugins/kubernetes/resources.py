"""Objects of any kind on one cluster: make, change, read and delete them, and wait for the result."""

import threading
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from aws_rules.eks.volumes import volume_driver
from localcloud.errors import Refusal
from localcloud.plugins.kubernetes import objects, readiness, waiting
from localcloud.plugins.kubernetes.api import Api, ApiError
from localcloud.plugins.kubernetes.kinds import Kind
from localcloud.plugins.kubernetes.waiting import Deadline, NotReady

KIND_TIMEOUT_SECONDS = 60.0
"""For a kind to be served, when its definition is made by the same update."""

NAMESPACE_TIMEOUT_SECONDS = 10.0
"""For a namespace and the service account in it."""

DELETE_TIMEOUT_SECONDS = 600.0

PULL_PATIENCE_SECONDS = 30.0
"""For images that are not pulled: by then kubelet has tried three times."""

MACHINE_PATIENCE_SECONDS = 10.0
"""For pods that no machine takes; the autoscaler looks every 10 s (its flag `--scan-interval`)."""

VOLUME_PATIENCE_SECONDS = 30.0
"""For volumes that no driver makes: it may be of the same update."""


@dataclass(frozen=True)
class Place:
    """Where an object is on its API server.

    list: path of the list that holds it. namespace: None where its kind lives in none.
    """

    list: str
    namespace: str | None
    name: str

    @property
    def path(self) -> str:
        """Path of the object."""
        return f"{self.list}/{self.name}"

    @property
    def id(self) -> str:
        """Id of the resource."""
        return objects.identity(self.namespace, self.name)


@dataclass
class Cluster:
    """The objects of one cluster.

    force: take over fields of other managers. upsert: take over existing objects.
    capped: its node groups with fewer machines than their stack asks for.
    add_machine: has a node group be one larger for a pod, where one would take it.
    """

    api: Api
    namespace: str
    force: bool = False
    upsert: bool = False
    cancelled: threading.Event = field(default_factory=threading.Event)
    capped: Callable[[], Collection[str]] = tuple
    add_machine: Callable[[Mapping[str, Any]], object] = lambda pod: None

    def namespaced(self, kind: Kind) -> bool | None:
        """Whether objects of a kind live in namespaces; None where the kind is not served (yet)."""
        if kind.cluster_scoped:
            return False
        resource = self.api.resource(kind)
        return bool(resource["namespaced"]) if resource else None

    def place(self, kind: Kind, name: str, namespace: str | None) -> Place | None:
        """Where an object is, or would be; None where its kind is not served."""
        resource = self.api.resource(kind)
        if resource is None:
            return None
        if not resource["namespaced"]:
            return Place(f"{kind.root}/{resource['name']}", None, name)
        within = namespace or self.namespace
        return Place(f"{kind.root}/namespaces/{within}/{resource['name']}", within, name)

    def preview(
        self, kind: Kind, thing: Mapping[str, Any], manager: str, *, new: bool
    ) -> dict[str, Any] | None:
        """What the API server would make of an object; None where only the update can tell.

        new: the object is to be made; an existing one of its name may be what it replaces.
        """
        place = self.place(kind, *_name_and_namespace(thing))
        if place is None:
            return None
        try:
            # The provider previews a create by one, and takes AlreadyExists for "cannot be told": it may be
            # what is deleted before (provider/pkg/provider/provider.go of pulumi-kubernetes v4.32.0: Create).
            if new and not self.upsert and self.live(place) is not None:
                return None
            live = self._apply(place, thing, manager, dry_run=True, force=new)
        except ApiError as error:
            # The namespace, or the service account in it, comes with the same update.
            if error.not_found or error.status == 403:
                return None
            raise
        if new:
            live.pop("status", None)
        return live

    def create(self, kind: Kind, thing: Mapping[str, Any], manager: str) -> tuple[Place, dict[str, Any]]:
        """Make an object. Raises Refusal where one exists, whoever made it.

        Since https://github.com/pulumi/pulumi-kubernetes/pull/4278 the provider makes objects by a create.
        """
        place = self._served_place(kind, thing)
        if not self.upsert and self.live(place) is not None:
            raise Refusal(
                f"{kind} {place.id} exists already and is not in the stack's state: import it, "
                "delete it, or set upsertExistingObjects on the provider to take it over."
            )
        return place, self.apply(place, thing, manager)

    def apply(self, place: Place, thing: Mapping[str, Any], manager: str) -> dict[str, Any]:
        """Apply an object, once what it needs exists: its namespace, its service account, its kind.

        The live object then.
        """
        deadline = Deadline(NAMESPACE_TIMEOUT_SECONDS, self.cancelled)
        pause = 0.1
        while True:
            try:
                return self._apply(place, thing, manager, dry_run=False)
            except ApiError as error:
                missing = error.not_found or "error looking up service account" in str(error)
                if not missing or not deadline.left or self.cancelled.is_set():
                    raise
            time.sleep(pause)
            pause = min(pause * 2, 1.0)

    def live(self, place: Place) -> dict[str, Any] | None:
        """An object as it is; None where there is none."""
        return self.api.find(place.path)

    def until_ready(
        self, kind: Kind, place: Place, inputs: Mapping[str, Any], live: Mapping[str, Any], timeout: float
    ) -> Mapping[str, Any]:
        """Wait until an object is ready, as the real provider does; the live object then. Raises NotReady."""
        wait = readiness.wait_for(kind, inputs)
        if wait is None:
            return live
        seconds = timeout or _timeout(inputs) or wait.seconds
        deadline = Deadline(
            seconds,
            self.cancelled,
            lambda: self._stopped_pod(place, live),
            lambda: self._add_machines(place, live),
        )
        try:
            if wait.judge(live).ready or self._waits_for_consumer(kind, live):
                pass
            elif readiness.replicas(kind, live) and self.capped():
                self._until_machines_are_full(place, live, readiness.replicas(kind, live), deadline)
            else:
                live = waiting.until_ready(self.api, place.list, place.name, wait.judge, deadline)
            if kind == Kind("", "v1", "Service"):
                self._until_endpoints(place, live, deadline)
        except NotReady as error:
            warning = waiting.last_warning(self.api, place.namespace, kind.name, place.name)
            event = f"its last warning: {_plain(warning)}" if warning else ""
            reasons = (_plain(str(error)), self._stuck_pod(place, live), event)
            raise NotReady("; ".join(filter(None, reasons))) from None
        return live

    def delete(self, place: Place, inputs: Mapping[str, Any], timeout: float) -> None:
        """Delete an object and wait until it is gone; fine when it is gone already. Raises NotReady."""
        propagation = (objects.annotation(inputs, objects.DELETION) or "foreground").capitalize()
        try:
            answer = self.api.delete(place.path, propagation)
        except ApiError as error:
            if error.not_found:
                return
            raise
        if objects.enabled(inputs, objects.SKIP_AWAIT):
            return
        uid = objects.metadata(answer).get("uid") or (answer.get("details") or {}).get("uid")
        deadline = Deadline(timeout or _timeout(inputs) or DELETE_TIMEOUT_SECONDS, self.cancelled)
        waiting.until_gone(self.api, place.list, place.name, uid, deadline)

    def _apply(
        self, place: Place, thing: Mapping[str, Any], manager: str, *, dry_run: bool, force: bool = False
    ) -> dict[str, Any]:
        forced = force or self.force or objects.enabled(thing, objects.PATCH_FORCE)
        return self.api.apply(place.path, thing, manager, force=forced, dry_run=dry_run)

    def _served_place(self, kind: Kind, thing: Mapping[str, Any]) -> Place:
        """Where an object goes, once its kind is served: its definition may be of the same update."""
        deadline = Deadline(KIND_TIMEOUT_SECONDS, self.cancelled)
        pause = 0.2
        while (place := self.place(kind, *_name_and_namespace(thing))) is None:
            if not deadline.left or self.cancelled.is_set():
                raise Refusal(
                    f"The cluster serves no {kind}: make its CustomResourceDefinition, or the release "
                    "that brings it, a dependency of this resource."
                )
            time.sleep(pause)
            pause = min(pause * 1.5, 2.0)
        return place

    def _waits_for_consumer(self, kind: Kind, live: Mapping[str, Any]) -> bool:
        """Whether a claim is bound only once a pod uses it: it is then as ready as it gets."""
        name = readiness.spec(live).get("storageClassName")
        if kind.name != "PersistentVolumeClaim" or kind.group or not name:
            return False
        place = self.place(Kind("storage.k8s.io", "v1", "StorageClass"), name, None)
        storage_class = (self.live(place) if place else None) or {}
        return storage_class.get("volumeBindingMode") == "WaitForFirstConsumer"

    def _until_machines_are_full(
        self, place: Place, live: Mapping[str, Any], desired: int, deadline: Deadline
    ) -> None:
        """Wait until as many pods of an object are ready as the machines can hold."""

        def judge(pods: waiting.Things) -> readiness.Verdict:
            return readiness.machines_full(desired, pods.values())

        waiting.until(self.api, *_pods_of(place, live), judge, deadline)

    def _stopped_pod(self, place: Place, live: Mapping[str, Any]) -> str:
        """A pod of an object that will not start, and why; empty where there is none."""
        pods, query = _pods_of(place, live)
        return self.stopped(pods, **query) if query else ""

    def stopped(self, pods: str, **query: str) -> str:
        """A pod of a list that has waited long for its images or a volume, and why; empty without one."""
        now = datetime.now(UTC)
        for pod in self.api.get(pods, **query).get("items") or []:
            if (why := readiness.pull_failure(pod)) and readiness.age(pod, now) > PULL_PATIENCE_SECONDS:
                return f"pod {objects.name_of(pod)}: {_plain(why)}"
            if readiness.unscheduled(pod, now) > VOLUME_PATIENCE_SECONDS and (why := self._no_volume(pod)):
                return f"pod {objects.name_of(pod)}: {why}"
        return ""

    def _add_machines(self, place: Place, live: Mapping[str, Any]) -> None:
        """Have a machine come, as the autoscaler does, for a pod of an object that found none for a while."""
        pods, query = _pods_of(place, live)
        now = datetime.now(UTC)
        for pod in (self.api.get(pods, **query).get("items") or []) if query else []:
            scheduled = readiness.condition(pod, "PodScheduled")
            waited = readiness.unscheduled(pod, now) > MACHINE_PATIENCE_SECONDS
            if waited and scheduled.get("reason") == "Unschedulable" and self.add_machine(pod):
                return

    def _no_volume(self, pod: Mapping[str, Any]) -> str:
        """Why a volume of a pod is not made; empty where it is, or may be yet."""
        of_pod = set(readiness.claim_names(pod))
        if not of_pod:
            return ""
        claims = f"/api/v1/namespaces/{objects.metadata(pod)['namespace']}/persistentvolumeclaims"
        drivers = self.api.get("/apis/storage.k8s.io/v1/csidrivers").get("items") or []
        names = frozenset(str(objects.name_of(driver)) for driver in drivers)
        refusals = [
            refusal
            for claim in self.api.get(claims).get("items") or []
            if objects.name_of(claim) in of_pod
            for refusal in volume_driver(claim, names)
        ]
        return _plain(str(refusals[0])) if refusals else ""

    def _stuck_pod(self, place: Place, live: Mapping[str, Any]) -> str:
        """A pod of an object that is not ready, and why; empty where there is none."""
        pods, query = _pods_of(place, live)
        if not query:
            return ""
        for pod in self.api.get(pods, **query).get("items") or []:
            if not (verdict := readiness.pod(pod)).ready:
                return f"pod {objects.name_of(pod)}: {_plain(verdict.reason)}"
        return ""

    def _until_endpoints(self, place: Place, service: Mapping[str, Any], deadline: Deadline) -> None:
        """Wait until no pod behind a Service is starting; a Service may also be without pods."""
        spec = readiness.spec(service)
        headless = spec.get("clusterIP") == "None"
        if spec.get("type") == "ExternalName" or headless or not spec.get("selector"):
            return
        path = f"/apis/discovery.k8s.io/v1/namespaces/{place.namespace}/endpointslices"
        query = {"labelSelector": f"kubernetes.io/service-name={place.name}"}
        waiting.until(self.api, path, query, _endpoints, deadline)


def _pods_of(place: Place, live: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """Path and query of the pods that an object makes and selects; no query where it makes none."""
    spec = readiness.spec(live)
    labels = (spec.get("selector") or {}).get("matchLabels") if "template" in spec else None
    selector = ",".join(f"{name}={value}" for name, value in (labels or {}).items())
    return f"/api/v1/namespaces/{place.namespace}/pods", {"labelSelector": selector} if selector else {}


def _endpoints(slices: waiting.Things) -> readiness.Verdict:
    if not slices:
        return readiness.pending("it has no endpoints yet")
    starting = [
        endpoint
        for endpoint_slice in slices.values()
        for endpoint in endpoint_slice.get("endpoints") or []
        if (endpoint.get("conditions") or {}).get("ready") is False
        and not (endpoint.get("conditions") or {}).get("terminating")
    ]
    return readiness.pending(f"{len(starting)} of its pods are not ready") if starting else readiness.READY


def _name_and_namespace(thing: Mapping[str, Any]) -> tuple[str, str | None]:
    metadata = objects.metadata(thing)
    return metadata.get("name") or "", metadata.get("namespace") or None


def _timeout(inputs: Mapping[str, Any]) -> float:
    """Seconds that an annotation sets; 0 without one."""
    seconds = objects.annotation(inputs, objects.TIMEOUT) or ""
    return float(seconds) if seconds.isdigit() else 0.0


def _plain(text: str | None) -> str:
    return " ".join((text or "").split()).rstrip(".")
