"""`python -m localcloud.control_plane.caretaker`: gives a cluster what nobody else would give it here.

A process per control plane, in place of the EBS CSI driver, of AWS's load balancer controller, and of Spark's
drivers, which run nowhere and would ask for executors. It puts no finalizer on anything, so nothing ever
waits for it to be gone.
"""

import argparse
import signal
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from zlib import crc32

from localcloud.cloud import REGION
from localcloud.control_plane import executors
from localcloud.control_plane.api import Api, Object
from localcloud.control_plane.simulated import (
    SIMULATED,
    ZONE,
    allowed_zones,
    is_let_go,
    load_balancer_for,
    selected_node,
    volume_for,
    waits_for_ebs,
    waits_for_load_balancer,
)
from localcloud.errors import Refusal

# Before the API server is asked again, when it could not be reached.
PAUSE = 1.0


class Caretaker:
    """Does for each object what AWS, or Spark, would do, when it would."""

    def __init__(self, api: Api) -> None:
        """`api` is the administrator's."""
        self._api = api
        # Those whose executors were made, or have ended, by uid, and their phase then.
        self._drivers: dict[str, str] = {}
        self._one_driver = threading.Lock()

    def claim(self, claim: Object) -> None:
        """Make the volume that a claim waits for, in the zone of its first pod."""
        if not waits_for_ebs(claim):
            return
        name = claim["spec"]["storageClassName"]
        storage_class = self._api.get(f"/apis/storage.k8s.io/v1/storageclasses/{name}")
        if storage_class is not None:
            wanted = volume_for(claim, storage_class, self._zone(claim, storage_class))
            self._api.apply(f"/api/v1/persistentvolumes/{wanted['metadata']['name']}", wanted)

    def volume(self, volume: Object) -> None:
        """Delete a volume that its claim has let go of."""
        if is_let_go(volume):
            self._api.delete(f"/api/v1/persistentvolumes/{volume['metadata']['name']}")

    def service(self, service: Object) -> None:
        """Give a Service the load balancer that it waits for."""
        if waits_for_load_balancer(service):
            namespace, name = service["metadata"]["namespace"], service["metadata"]["name"]
            path = f"/api/v1/namespaces/{namespace}/services/{name}/status"
            self._api.merge(path, load_balancer_for(service, REGION))

    def driver(self, driver: Object) -> None:
        """Make a driver's executors once it runs, and let go of them once it has ended."""
        uid, phase = driver["metadata"]["uid"], (driver.get("status") or {}).get("phase")
        gone = "deletionTimestamp" in driver["metadata"]
        with self._one_driver:
            if phase == "Running" and not gone and uid not in self._drivers:
                if (given := self._given(driver)) is None:
                    self._look_later(driver)
                    return
                self._drivers[uid] = phase
                self._ask_for_executors(driver, given)
            elif phase in ("Succeeded", "Failed") and self._drivers.get(uid) != phase:
                self._drivers[uid] = phase
                self._end_executors(driver)

    def _look_later(self, driver: Object) -> None:
        """Look again, in a moment, at a driver that lacks something; kubelet would wait for that, too."""
        metadata = driver["metadata"]

        def look() -> None:
            try:
                now = self._api.get(f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}")
                if now and now["metadata"]["uid"] == metadata["uid"]:
                    self.driver(now)
            except Refusal as refusal:
                print(refusal, flush=True)
                self._look_later(driver)

        later = threading.Timer(PAUSE, look)
        later.daemon = True
        later.start()

    def _given(self, driver: Object) -> dict[str, str] | None:
        """What is in the ConfigMaps that a driver mounts; None while one is not there.

        `spark-submit` makes them after the pod.
        """
        given: dict[str, str] = {}
        for name in executors.mounted(driver):
            path = f"/api/v1/namespaces/{driver['metadata']['namespace']}/configmaps/{name}"
            if (found := self._api.get(path)) is None:
                return None
            given |= found.get("data") or {}
        return given

    def _ask_for_executors(self, driver: Object, given: dict[str, str]) -> None:
        """As the driver itself, so with the rights of its account and no others."""
        if executors.PROPERTIES not in given:
            return
        namespace = driver["metadata"]["namespace"]
        there = {one["metadata"]["name"] for one in self._executors_of(driver)}
        try:
            conf = executors.properties(given[executors.PROPERTIES])
            wanted = executors.executors(driver, conf, given.get(executors.TEMPLATE, ""))
            account = self._api.as_account(namespace, driver["spec"].get("serviceAccountName", "default"))
            for one in wanted:
                if one["metadata"]["name"] not in there:
                    account.create(f"/api/v1/namespaces/{namespace}/pods", one)
        except (Refusal, KeyError, ValueError) as error:
            self._complain(driver, str(error))

    def _end_executors(self, driver: Object) -> None:
        """Executors end when their driver tells them to, and it deletes them then."""
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        for one in self._executors_of(driver):
            path = f"/api/v1/namespaces/{one['metadata']['namespace']}/pods/{one['metadata']['name']}"
            if one["status"].get("phase") == "Running":
                self._api.merge(f"{path}/status", {"status": executors.ended(one, now)})
            self._api.delete(path)

    def _executors_of(self, driver: Object) -> list[Object]:
        metadata = driver["metadata"]
        application = metadata["labels"].get(executors.APPLICATION, "")
        selector = f"{executors.APPLICATION}={application},{executors.ROLE}={executors.EXECUTOR}"
        return self._api.list(f"/api/v1/namespaces/{metadata['namespace']}/pods", labelSelector=selector)

    def _complain(self, driver: Object, why: str) -> None:
        """Tell of it where the driver's own log would."""
        metadata = driver["metadata"]
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
                "message": why[:1000],
                "source": {"component": "simulated-driver"},
                "firstTimestamp": now,
                "lastTimestamp": now,
                "count": 1,
            },
        )

    def _zone(self, claim: Object, storage_class: Object) -> str | None:
        if node := selected_node(claim):
            found = self._api.get(f"/api/v1/nodes/{node}")
            return _zone_of(found) if found else None
        zones = {_zone_of(node) for node in self._api.list("/api/v1/nodes")} - {None}
        allowed = allowed_zones(storage_class, [zone for zone in zones if zone])
        return allowed[crc32(claim["metadata"]["uid"].encode()) % len(allowed)] if allowed else None


def _zone_of(node: Object) -> str | None:
    zone: str | None = (node["metadata"].get("labels") or {}).get(ZONE)
    return zone


def attend(api: Api, path: str, do: Callable[[Object], None], selector: str = "") -> None:
    """Do it for each object of a list whenever it changes, for as long as the process lives.

    selector: labels of those objects.
    """
    while True:
        try:
            for found in api.follow(path, labelSelector=selector):
                try:
                    do(found)
                except Refusal as refusal:
                    print(refusal, flush=True)
        except Refusal as refusal:
            print(refusal, flush=True)
        time.sleep(PAUSE)


def main() -> int:
    """Attend to the cluster until told to end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kubeconfig", type=Path, required=True)
    api = Api.of(parser.parse_args().kubeconfig)
    caretaker = Caretaker(api)
    for path, do, selector in (
        ("/api/v1/persistentvolumeclaims", caretaker.claim, ""),
        ("/api/v1/persistentvolumes", caretaker.volume, ""),
        ("/api/v1/services", caretaker.service, ""),
        ("/api/v1/pods", caretaker.driver, f"{executors.ROLE}={executors.DRIVER}"),
    ):
        threading.Thread(target=attend, args=(api, path, do, selector), daemon=True).start()
    signal.sigwait({signal.SIGTERM, signal.SIGINT})
    return 0


if __name__ == "__main__":
    sys.exit(main())
