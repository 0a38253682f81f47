"""`python -m localcloud.control_plane.caretaker`: gives a cluster what AWS or Spark's drivers would give it.

A process per control plane, in place of the EBS CSI driver, of AWS's load balancer controller, and of Spark's
drivers, which run nowhere and would ask for executors. It puts no finalizer on anything, so deletions never
wait for it.
"""

import argparse
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from zlib import crc32

from aws_rules.eks.volumes import EBS
from localcloud.cloud import REGION, Cloud
from localcloud.control_plane import ControlPlane, executors
from localcloud.control_plane.api import Api, Object
from localcloud.control_plane.cloud_provider import (
    CSI_DRIVERS,
    SIMULATED,
    ZONE,
    allowed_zones,
    device_plugin,
    load_balancer_for,
    selected_node,
    unclaimed,
    volume_for,
    waits_for_ebs,
    waits_for_load_balancer,
)
from localcloud.control_plane.machines import GPU
from localcloud.control_plane.nodes import GPUS
from localcloud.control_plane.parallel import parallel_map
from localcloud.errors import Refusal

# Before the next attempt when the API server could not be reached.
RETRY_SECONDS = 1.0

REGION_LABEL = "topology.kubernetes.io/region"

ETCD_SECONDS = 0.5
"""Between two looks at whether etcd runs."""


class Caretaker:
    """Does for objects what AWS, or Spark, would do."""

    def __init__(self, api: Api) -> None:
        """`api` is the administrator's."""
        self._api = api
        # Uid of a driver whose executors were made, or have ended -> its phase then.
        self._drivers: dict[str, str] = {}
        # Uids of drivers, and what was reported of them.
        self._reports: set[tuple[str, str]] = set()
        self._lock = threading.Lock()

    def claim(self, claim: Object) -> None:
        """Make the volume that a claim waits for, in the zone of its first pod, if EBS's driver is there."""
        if not waits_for_ebs(claim) or self._api.get(f"{CSI_DRIVERS}/{EBS}") is None:
            return
        name = claim["spec"]["storageClassName"]
        storage_class = self._api.get(f"/apis/storage.k8s.io/v1/storageclasses/{name}")
        if storage_class is not None:
            volume = volume_for(claim, storage_class, self._zone(claim, storage_class))
            self._api.apply(f"/api/v1/persistentvolumes/{volume['metadata']['name']}", volume)

    def volume_driver(self, driver: Object) -> None:
        """Make the volumes that claims waited for before EBS's driver came."""
        if driver["metadata"]["name"] == EBS:
            for claim in self._api.list("/api/v1/persistentvolumeclaims"):
                self.claim(claim)

    def volume(self, volume: Object) -> None:
        """Delete a volume that its claim has released."""
        if unclaimed(volume):
            self._api.delete(f"/api/v1/persistentvolumes/{volume['metadata']['name']}")

    def service(self, service: Object) -> None:
        """Give a Service the load balancer that it waits for."""
        if waits_for_load_balancer(service):
            namespace, name = service["metadata"]["namespace"], service["metadata"]["name"]
            path = f"/api/v1/namespaces/{namespace}/services/{name}/status"
            self._api.merge(path, load_balancer_for(service, self._region()))

    def _region(self) -> str:
        """The region of the cluster's machines; of the cloud, where it has none yet."""
        regions = (node["metadata"]["labels"].get(REGION_LABEL) for node in self._api.list("/api/v1/nodes"))
        return next(filter(None, regions), REGION)

    def device_plugin(self, daemon_set: Object) -> None:
        """Have the GPUs of a node be there once NVIDIA's device plugin runs on it, as kubelet has it."""
        if not device_plugin(daemon_set):
            return
        namespace = daemon_set["metadata"]["namespace"]
        labels = daemon_set["spec"]["selector"].get("matchLabels") or {}
        selector = ",".join(f"{key}={value}" for key, value in labels.items())
        for pod in self._api.list(f"/api/v1/namespaces/{namespace}/pods", labelSelector=selector):
            node = pod["spec"].get("nodeName")
            if node and (pod.get("status") or {}).get("phase") == "Running":
                self._show_gpus(node)

    def _show_gpus(self, name: str) -> None:
        node = self._api.get(f"/api/v1/nodes/{name}") or {"metadata": {}}
        count = (node["metadata"].get("annotations") or {}).get(GPUS)
        if count and GPU not in node["status"].get("allocatable", {}):
            gpus = {GPU: count}
            status = {"status": {"capacity": gpus, "allocatable": gpus}}
            self._api.merge(f"/api/v1/nodes/{name}/status", status)

    def driver(self, driver: Object) -> None:
        """Make a driver's executors once it runs, and end them once it has ended."""
        uid, phase = driver["metadata"]["uid"], (driver.get("status") or {}).get("phase")
        deleted = "deletionTimestamp" in driver["metadata"]
        with self._lock:
            if phase == "Running" and not deleted and uid not in self._drivers:
                if (files := self._mounted_files(driver)) is None:
                    self._retry_later(driver)
                    return
                self._drivers[uid] = phase
                self._make_executors(driver, files)
            elif phase in ("Succeeded", "Failed") and self._drivers.get(uid) != phase:
                self._drivers[uid] = phase
                self._end_executors(driver)

    def _retry_later(self, driver: Object) -> None:
        """Try a driver that lacks a ConfigMap, for which kubelet would wait too, or executors, once more."""
        metadata = driver["metadata"]

        def retry() -> None:
            try:
                now = self._api.get(f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}")
                if now and now["metadata"]["uid"] == metadata["uid"]:
                    self.driver(now)
            except Refusal as refusal:
                print(refusal, flush=True)
                self._retry_later(driver)

        timer = threading.Timer(RETRY_SECONDS, retry)
        timer.daemon = True
        timer.start()

    def _mounted_files(self, driver: Object) -> dict[str, str] | None:
        """Files of the ConfigMaps that a driver mounts; None while one does not exist.

        `spark-submit` makes them after the pod.
        """
        files: dict[str, str] = {}
        for name in executors.config_maps(driver):
            path = f"/api/v1/namespaces/{driver['metadata']['namespace']}/configmaps/{name}"
            if (config_map := self._api.get(path)) is None:
                return None
            files |= config_map.get("data") or {}
        return files

    def _make_executors(self, driver: Object, files: dict[str, str]) -> None:
        """Make them as the driver itself would, with the rights of its account and no others."""
        if executors.PROPERTIES not in files:
            return
        namespace = driver["metadata"]["namespace"]
        name = driver["spec"].get("serviceAccountName", "default")
        existing = {pod["metadata"]["name"] for pod in self._executors_of(driver)}
        try:
            account = self._api.as_account(namespace, name)
            if denials := list(_denials(account, namespace, name)):
                self._report(driver, f"External scheduler cannot be instantiated: {'; '.join(denials)}")
                self._fail(driver)
                return
            conf = executors.read_properties(files[executors.PROPERTIES])
            pods = executors.executors(driver, conf, files.get(executors.TEMPLATE, ""))
            parallel_map(
                lambda pod: account.create(f"/api/v1/namespaces/{namespace}/pods", pod),
                [pod for pod in pods if pod["metadata"]["name"] not in existing],
            )
        except Refusal as refusal:
            # As Spark does (apache/spark: ExecutorPodsSnapshotsStoreImpl.scala). Where many pods are made, an
            # API server refuses some for a quota that has changed meanwhile
            # (https://github.com/helm/helm/issues/9710).
            self._report(driver, str(refusal))
            self._drivers.pop(driver["metadata"]["uid"])
            self._retry_later(driver)
        except (KeyError, ValueError) as error:
            self._report(driver, str(error))

    def _fail(self, driver: Object) -> None:
        """Have a driver end at once, as one whose context could not be made."""
        metadata = driver["metadata"]
        path = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}"
        annotations = {"localcloud/ends": "Failed", "localcloud/runs-for": "0"}
        self._api.merge(path, {"metadata": {"annotations": annotations}})

    def _end_executors(self, driver: Object) -> None:
        """End executors and delete them, as their driver does."""
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

        def end(pod: Object) -> None:
            path = f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}"
            if pod["status"].get("phase") == "Running":
                self._api.merge(f"{path}/status", {"status": executors.succeeded(pod, now)})
            self._api.delete(path)

        # Each driver ends its own, while the others end theirs.
        parallel_map(end, self._executors_of(driver))

    def _executors_of(self, driver: Object) -> list[Object]:
        metadata = driver["metadata"]
        application = metadata["labels"].get(executors.APPLICATION, "")
        selector = f"{executors.APPLICATION}={application},{executors.ROLE}={executors.EXECUTOR}"
        return self._api.list(f"/api/v1/namespaces/{metadata['namespace']}/pods", labelSelector=selector)

    def _report(self, driver: Object, reason: str) -> None:
        """Report in an event what the driver's own log would say, once."""
        metadata = driver["metadata"]
        if (metadata["uid"], reason) in self._reports:
            return
        self._reports.add((metadata["uid"], reason))
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        self._api.create(
            f"/api/v1/namespaces/{metadata['namespace']}/events",
            {
                "apiVersion": "v1",
                "kind": "Event",
                "metadata": {
                    "generateName": f"{metadata['name'][:50]}.",
                    "annotations": {SIMULATED: "driver"},
                },
                "involvedObject": {
                    "apiVersion": "v1",
                    "kind": "Pod",
                    **{key: metadata[key] for key in ("namespace", "name", "uid")},
                },
                "type": "Warning",
                "reason": "ExecutorsRefused",
                "message": reason[:1000],
                "source": {"component": "simulated-driver"},
                "firstTimestamp": now,
                "lastTimestamp": now,
                "count": 1,
            },
        )

    def _zone(self, claim: Object, storage_class: Object) -> str | None:
        if node := selected_node(claim):
            live = self._api.get(f"/api/v1/nodes/{node}")
            return _zone_of(live) if live else None
        zones = {_zone_of(node) for node in self._api.list("/api/v1/nodes")} - {None}
        allowed = allowed_zones(storage_class, [zone for zone in zones if zone])
        return allowed[crc32(claim["metadata"]["uid"].encode()) % len(allowed)] if allowed else None


def _denials(account: Api, namespace: str, name: str) -> Iterator[str]:
    """What a driver's account may not do and the driver cannot do without, in the API server's words."""
    for verb, resource in executors.DRIVER_CALLS:
        request = {"namespace": namespace, "verb": verb, "resource": resource}
        review = account.create(
            "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
            {
                "apiVersion": "authorization.k8s.io/v1",
                "kind": "SelfSubjectAccessReview",
                "spec": {"resourceAttributes": request},
            },
        )
        if not review["status"]["allowed"]:
            yield (
                f'{resource} is forbidden: User "system:serviceaccount:{namespace}:{name}" cannot {verb} '
                f'resource "{resource}" in API group "" in the namespace "{namespace}"'
            )


def _zone_of(node: Object) -> str | None:
    zone: str | None = (node["metadata"].get("labels") or {}).get(ZONE)
    return zone


def watch(api: Api, path: str, handle: Callable[[Object], None], selector: str = "") -> None:
    """Call a function with every object of a list whenever it changes, for as long as the process lives.

    selector: labels of those objects.
    """
    while True:
        try:
            for thing in api.follow(path, labelSelector=selector):
                try:
                    handle(thing)
                except Refusal as refusal:
                    print(refusal, flush=True)
        except Refusal as refusal:
            print(refusal, flush=True)
        time.sleep(RETRY_SECONDS)


def main() -> int:
    """Watch the cluster until the process is ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--cluster", required=True)
    options = parser.parse_args()
    plane = ControlPlane(Cloud(options.home), options.cluster)
    api = plane.api()
    caretaker = Caretaker(api)
    for path, handle, selector in (
        ("/api/v1/persistentvolumeclaims", caretaker.claim, ""),
        (CSI_DRIVERS, caretaker.volume_driver, ""),
        ("/api/v1/persistentvolumes", caretaker.volume, ""),
        ("/api/v1/services", caretaker.service, ""),
        ("/apis/apps/v1/daemonsets", caretaker.device_plugin, ""),
        ("/api/v1/pods", caretaker.driver, f"{executors.ROLE}={executors.DRIVER}"),
    ):
        threading.Thread(target=watch, args=(api, path, handle, selector), daemon=True).start()
    while signal.sigtimedwait({signal.SIGTERM, signal.SIGINT}, ETCD_SECONDS) is None:
        if plane.end_without_etcd():
            print("etcd has ended, and the API server, which serves nothing without it, with it.", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
