"""`python -m localcloud.control_plane.caretaker`: gives a cluster the volumes and load balancers it asks for.

A process per control plane, in place of the EBS CSI driver and of AWS's load balancer controller. It puts no
finalizer on anything, so nothing ever waits for it to be gone.
"""

import argparse
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from zlib import crc32

from localcloud.cloud import REGION
from localcloud.control_plane.api import Api, Object
from localcloud.control_plane.simulated import (
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
    """Does for each object what AWS would do, when it would."""

    def __init__(self, api: Api) -> None:
        """`api` is the administrator's."""
        self._api = api

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


def attend(api: Api, path: str, do: Callable[[Object], None]) -> None:
    """Do it for each object of a list whenever it changes, for as long as the process lives."""
    while True:
        try:
            for found in api.follow(path):
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
    for path, do in {
        "/api/v1/persistentvolumeclaims": caretaker.claim,
        "/api/v1/persistentvolumes": caretaker.volume,
        "/api/v1/services": caretaker.service,
    }.items():
        threading.Thread(target=attend, args=(api, path, do), daemon=True).start()
    signal.sigwait({signal.SIGTERM, signal.SIGINT})
    return 0


if __name__ == "__main__":
    sys.exit(main())
