"""`python -m localcloud.image_puller`: decides whether pods' images could be pulled, as containerd finds out.

A process per control plane. It looks at marked pods only (`localcloud.control_plane.image_pulls`): it lets
kwok run those whose images are fine for their node, and has the others wait as kubelet does, with its words,
until what was wrong is put right.
"""

import argparse
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from aws_rules.images.reference import DOCKER_HUB, Reference
from aws_rules.rule import Unknown, Verdict, Violation
from localcloud import unknowns
from localcloud.aws_server import AwsServer
from localcloud.cloud import Cloud
from localcloud.control_plane import ControlPlane
from localcloud.control_plane.api import Api, Object
from localcloud.control_plane.image_pulls import (
    LABEL,
    PULLED,
    REFUSED,
    UNDECIDED,
    noted_architectures,
)
from localcloud.control_plane.nodes import GROUP
from localcloud.errors import Refusal

RETRY_SECONDS = 10.0
"""Kubelet's first back-off; it then doubles up to 5 minutes, which would only be a wait here."""

Decide = Callable[[str, str, Iterable[str]], Iterable[Verdict]]
"""Image, node group, and groups that pull from Docker Hub -> what is refused, or not known."""


class Puller:
    """Decides for marked pods."""

    def __init__(
        self,
        api: Api,
        decide: Decide,
        groups: Callable[[], Iterable[str]],
        note: Callable[[Unknown], None],
        refresh: Callable[[], None] = lambda: None,
    ) -> None:
        """Watch nothing yet.

        groups: the cluster's node groups now. note: takes what rules do not know.
        refresh: has what decides asked anew, as it may have changed since the last pod.
        """
        self._api, self._decide, self._groups, self._note = api, decide, groups, note
        self._refresh = refresh
        self._lock = threading.Lock()
        # It is another one once machines have changed.
        self._round = ""
        self._all_groups: list[str] = []
        self._groups_of_nodes: dict[str, str | None] = {}
        self._refusals: dict[tuple[str, str], Violation | None] = {}
        # Uids of pods whose events were written.
        self._reports: set[str] = set()

    def pod(self, pod: Object) -> None:
        """Let a marked pod run on its node, or have it wait for its images."""
        node = pod["spec"].get("nodeName")
        state = (pod["metadata"].get("labels") or {}).get(LABEL)
        if not node or state is None or "deletionTimestamp" in pod["metadata"]:
            return
        with self._lock:
            self._refresh()
            self._learn(set(images(pod)))
            group = self._group(node)
            refusals = {image: self._refusal(image, group) for image in images(pod)} if group else {}
            refused_images = {image: refusal for image, refusal in refusals.items() if refusal}
            path = f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}"
            if not refused_images:
                self._api.merge(path, {"metadata": {"labels": {LABEL: None}}})
                return
            if state != REFUSED:
                self._api.merge(path, {"metadata": {"labels": {LABEL: REFUSED}}})
            self._api.merge(f"{path}/status", {"status": waiting_status(pod, refused_images, _now())})
            if pod["metadata"]["uid"] not in self._reports:
                self._reports.add(pod["metadata"]["uid"])
                for event in events(pod, refused_images, _now()):
                    self._api.create(f"/api/v1/namespaces/{pod['metadata']['namespace']}/events", event)

    def retry(self) -> None:
        """Pull again what could not be pulled, as kubelet does."""
        pods = self._api.list("/api/v1/pods", labelSelector=f"{LABEL}={REFUSED}")
        if pods:
            with self._lock:
                self._refusals = {key: refusal for key, refusal in self._refusals.items() if not refusal}
        for pod in pods:
            self.pod(pod)

    def _group(self, node: str) -> str | None:
        """Node group of a node; None for a node of none, which nothing decides about."""
        if node not in self._groups_of_nodes:
            live = self._api.get(f"/api/v1/nodes/{node}")
            labels = (live or {}).get("metadata", {}).get("labels") or {}
            self._groups_of_nodes[node] = labels.get(GROUP)
        return self._groups_of_nodes[node]

    def _learn(self, candidates: set[str]) -> None:
        """Add images that every node group can pull to those that the API server marks no pod for."""
        for _ in range(3):
            record = self._api.get(PULLED) or {"data": {"images": "", "round": ""}, "metadata": {}}
            if record["data"]["round"] != self._round:
                self._round = record["data"]["round"]
                self._refusals.clear()
                self._groups_of_nodes.clear()
                self._all_groups = list(self._groups())
            images = set(record["data"]["images"].split("\n")) - {""}
            new = {
                image
                for image in candidates - images
                if not any(self._refusal(image, group) for group in self._all_groups)
            }
            if not new:
                return
            version = record["metadata"].get("resourceVersion")
            data = {"images": "\n".join(sorted(images | new))}
            try:
                self._api.merge(PULLED, {"metadata": {"resourceVersion": version}, "data": data})
            except Refusal:
                # What decides has changed meanwhile.
                continue
            return

    def _refusal(self, image: str, group: str) -> Violation | None:
        """Why a group cannot pull an image; None where it can, or where that is not known."""
        if (image, group) not in self._refusals:
            refusal = None
            for verdict in self._decide(image, group, self._groups_at_docker_hub(image)):
                match verdict:
                    case Unknown():
                        self._note(verdict)
                    case Violation():
                        refusal = verdict
            self._refusals[image, group] = refusal
        return self._refusals[image, group]

    def _groups_at_docker_hub(self, image: str) -> set[str]:
        """Groups whose machines pull from Docker Hub, by the pods that are there."""
        if Reference.of(image).host != DOCKER_HUB:
            return set()
        pods = self._api.list("/api/v1/pods")
        nodes = {
            pod["spec"].get("nodeName")
            for pod in pods
            if any(Reference.of(name).host == DOCKER_HUB for name in images(pod))
        }
        return {
            group
            for node in self._api.list("/api/v1/nodes")
            if node["metadata"]["name"] in nodes
            and (group := (node["metadata"].get("labels") or {}).get(GROUP))
        }


def images(pod: Mapping[str, Any]) -> list[str]:
    """Images of a pod, in the order in which they are pulled."""
    containers = [*(pod["spec"].get("initContainers") or ()), *pod["spec"]["containers"]]
    return list(dict.fromkeys(container["image"] for container in containers))


def waiting_status(pod: Mapping[str, Any], refusals: Mapping[str, Violation], now: str) -> Object:
    """Status of a pod whose images are not pulled, as kubelet keeps it.

    Source: kubernetes/kubernetes: pkg/kubelet/images/image_manager.go
    """
    inits, containers = list(pod["spec"].get("initContainers") or ()), pod["spec"]["containers"]
    first_init = next((c["name"] for c in inits if c["image"] in refusals), None)
    start = (pod.get("status") or {}).get("startTime") or now
    unready = ", ".join(container["name"] for container in containers)
    message = f"containers with unready status: [{unready}]"

    def condition(name: str, true: bool, **more: str) -> Object:
        return {"type": name, "status": "True" if true else "False", "lastTransitionTime": start, **more}

    def state(container: Mapping[str, Any], init: bool) -> Object:
        refusal = refusals.get(container["image"])
        if refusal and (not init or container["name"] == first_init) and (init or not first_init):
            waiting = {"reason": "ImagePullBackOff", "message": back_off(container["image"], refusal)}
        else:
            waiting = {"reason": "PodInitializing" if first_init else "ContainerCreating"}
        return {
            "name": container["name"],
            "image": container["image"],
            "imageID": "",
            "ready": False,
            "restartCount": 0,
            "started": False,
            "state": {"waiting": waiting},
        }

    not_ready = {"reason": "ContainersNotReady", "message": message}
    initialized: Object = condition("Initialized", first_init is None)
    return {
        "phase": "Pending",
        "startTime": start,
        "conditions": [
            *[c for c in (pod.get("status") or {}).get("conditions") or [] if c["type"] == "PodScheduled"],
            initialized,
            condition("Ready", False, **not_ready),
            condition("ContainersReady", False, **not_ready),
        ],
        "containerStatuses": [state(container, False) for container in containers],
        **({"initContainerStatuses": [state(container, True) for container in inits]} if inits else {}),
    }


def back_off(image: str, refusal: Violation) -> str:
    """What kubelet says of an image that it tries again later; and the remedy, which it does not know."""
    return f'Back-off pulling image "{image}": ErrImagePull: {refusal.message} ({refusal.remedy})'


def events(pod: Mapping[str, Any], refusals: Mapping[str, Violation], now: str) -> list[Object]:
    """Kubelet's events of a pod whose images are not pulled."""
    rows = []
    for image, refusal in refusals.items():
        rows += [
            ("Normal", "Pulling", f'Pulling image "{image}"'),
            ("Warning", "Failed", f'Failed to pull image "{image}": {refusal.message}'),
            ("Warning", "Failed", "Error: ErrImagePull"),
            ("Normal", "BackOff", f'Back-off pulling image "{image}"'),
            ("Warning", "Failed", "Error: ImagePullBackOff"),
        ]
    metadata = pod["metadata"]
    return [
        {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"generateName": f"{metadata['name'][:50]}."},
            "involvedObject": {
                "apiVersion": "v1",
                "kind": "Pod",
                **{key: metadata[key] for key in ("namespace", "name", "uid")},
            },
            "type": kind,
            "reason": reason,
            "message": message[:1024],
            "source": {"component": "kubelet", "host": pod["spec"]["nodeName"]},
            "firstTimestamp": now,
            "lastTimestamp": now,
            "count": 1,
        }
        for kind, reason, message in rows
    ]


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _watch(api: Api, puller: Puller) -> None:
    while True:
        try:
            for pod in api.follow("/api/v1/pods", labelSelector=f"{LABEL}={UNDECIDED}"):
                _try(puller.pod, pod)
        except Refusal as refusal:
            print(refusal, flush=True)
        time.sleep(1)


def _retry(puller: Puller) -> None:
    while True:
        time.sleep(RETRY_SECONDS)
        _try(puller.retry)


def _try(do: Callable[..., None], *arguments: Any) -> None:
    """Do something; a failure is written down, and tried again with the next pod or retry."""
    try:
        do(*arguments)
    except Exception as error:
        print(f"{type(error).__name__}: {error}", flush=True)


def main() -> int:
    """Decide for the pods of a cluster until the process is ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--cluster", required=True)
    arguments = parser.parse_args()
    cloud = Cloud(arguments.home)
    plane = ControlPlane(cloud, arguments.cluster)
    api = plane.api()
    server = AwsServer(cloud)

    @cache
    def cluster() -> Any:
        # Imported when it is first needed: it loads boto3.
        from localcloud.plugins.aws.refusals.pulls import find_cluster

        return find_cluster(cloud, server.url, plane.name) if server.alive() else None

    def decide(image: str, group: str, neighbours: Iterable[str]) -> Iterable[Verdict]:
        pulls = cluster()
        if pulls is None:
            return []
        verdicts: Iterable[Verdict] = pulls.pull(image, group, neighbours, noted_architectures(plane.folder))
        return verdicts

    def groups() -> Iterable[str]:
        pulls = cluster()
        return pulls.groups() if pulls else []

    puller = Puller(api, decide, groups, lambda unknown: unknowns.note(cloud, unknown), cluster.cache_clear)
    threading.Thread(target=_watch, args=(api, puller), daemon=True).start()
    threading.Thread(target=_retry, args=(puller,), daemon=True).start()
    signal.sigwait({signal.SIGTERM, signal.SIGINT})
    return 0


if __name__ == "__main__":
    sys.exit(main())
