"""The drivers of the job namespaces, as their pods tell of them: some 1 KiB a driver is kept."""

import re
from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass
from datetime import datetime

from moka.names import APPLICATION_ID_LABEL, APPLICATION_LABEL, DRIVER_CONTAINER
from services.common.kubernetes import Object

RUN = re.compile(r"spark-[0-9a-f]{32}")
"""Spark's id of a run on Kubernetes (apache/spark: KubernetesConf.scala, `getKubernetesAppId`)."""

ENDED = frozenset({"Succeeded", "Failed"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    """A driver pod.

    run: Spark's id, empty where the pod has none that Spark would give.
    address: of the pod, empty until it has one.
    waiting: why its container does not run yet, in Kubernetes' word, or nothing.
    created, started: of the pod and of its container; None where it has not started.
    """

    namespace: str
    application: str
    uid: str
    run: str
    address: str
    phase: str
    waiting: str
    created: str
    started: datetime | None

    @property
    def ended(self) -> bool:
        """Whether its containers have ended."""
        return self.phase in ENDED


def driver_of(pod: Object) -> Driver | None:
    """What a pod says of the driver that it is; None where no application owns it under the name it gives.

    Any pod of a namespace can have a driver's labels.
    """
    metadata, status = pod["metadata"], pod.get("status") or {}
    labels = metadata.get("labels") or {}
    application = labels.get(APPLICATION_LABEL)
    owners = [(owner.get("kind"), owner.get("name")) for owner in metadata.get("ownerReferences") or []]
    if not application or ("SparkApplication", application) not in owners:
        return None
    run = labels.get(APPLICATION_ID_LABEL, "")
    state = _container_state(status)
    started = (state.get("running") or {}).get("startedAt")
    return Driver(
        namespace=metadata["namespace"],
        application=application,
        uid=metadata["uid"],
        run=run if RUN.fullmatch(run) else "",
        address=status.get("podIP") or "",
        phase=status.get("phase") or "Pending",
        waiting=(state.get("waiting") or {}).get("reason") or _unscheduled(status),
        created=metadata.get("creationTimestamp") or "",
        started=datetime.fromisoformat(started) if started else None,
    )


def _container_state(status: Object) -> Object:
    """State of Spark's container: others may be in the pod."""
    for container in status.get("containerStatuses") or []:
        if container.get("name") == DRIVER_CONTAINER:
            return container.get("state") or {}
    return {}


def _unscheduled(status: Object) -> str:
    for condition in status.get("conditions") or []:
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
            return str(condition.get("reason") or "Unschedulable")
    return ""


def _newest(drivers: Iterable[Driver]) -> Driver | None:
    return max(drivers, key=lambda driver: (driver.created, driver.uid), default=None)


class Drivers:
    """The drivers that there are. It is the `Observer` of watches.

    found: called with the newest driver of an application as soon as it is known which run it is.
    """

    def __init__(self, listener: Callable[[Driver], None] = lambda _: None) -> None:
        self._listener = listener
        self._by_uid: dict[str, Driver] = {}
        self._by_application: dict[tuple[str, str], dict[str, Driver]] = {}
        self._by_address: dict[str, dict[str, Driver]] = {}
        self._answered_uids: set[str] = set()

    def __len__(self) -> int:
        return len(self._by_uid)

    def observe(self, item: Object, deleted: bool) -> None:
        """A driver's pod as it is now."""
        uid = item["metadata"]["uid"]
        before, answered = self._by_uid.get(uid), uid in self._answered_uids
        self._remove(uid)
        driver = None if deleted else driver_of(item)
        if driver is None:
            return
        self._by_uid[uid] = driver
        self._by_application.setdefault((driver.namespace, driver.application), {})[uid] = driver
        if driver.address and not driver.ended:
            self._by_address.setdefault(driver.address, {})[uid] = driver
        if answered:
            self._answered_uids.add(uid)
        new = driver.run and (before is None or before.run != driver.run)
        if new and self.newest(driver.namespace, driver.application) is driver:
            self._listener(driver)

    def keep(self, namespace: str, uids: Set[str]) -> None:
        """There are no others in the namespace."""
        for driver in [*self._by_uid.values()]:
            if driver.namespace == namespace and driver.uid not in uids:
                self._remove(driver.uid)

    def newest(self, namespace: str, application: str) -> Driver | None:
        """The driver of an application; of several, after a new try, the last."""
        drivers = self._by_application.get((namespace, application), {})
        return _newest(drivers.values())

    def has_address(self, driver: Driver) -> bool:
        """Whether its address is its own: of two drivers that run and say so, the newer's.

        A watch may not have told yet that the older has ended, as that of a lost node; a pod gets the address
        of one that is gone after half a minute (aws/amazon-vpc-cni-k8s: README.md, IP_COOLDOWN_PERIOD).
        """
        newest = _newest(self._by_address.get(driver.address, {}).values())
        return newest is None or newest.uid == driver.uid

    def answered(self, driver: Driver) -> bool:
        """Whether its UI has answered this gateway."""
        return driver.uid in self._answered_uids

    def note_answer(self, driver: Driver) -> None:
        """Its UI has answered."""
        if driver.uid in self._by_uid:
            self._answered_uids.add(driver.uid)

    def _remove(self, uid: str) -> None:
        self._answered_uids.discard(uid)
        driver = self._by_uid.pop(uid, None)
        if driver is None:
            return
        key = (driver.namespace, driver.application)
        del self._by_application[key][uid]
        if not self._by_application[key]:
            del self._by_application[key]
        holders = self._by_address.get(driver.address, {})
        holders.pop(uid, None)
        if not holders:
            self._by_address.pop(driver.address, None)
