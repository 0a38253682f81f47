"""Machines of an EKS node group, as nodes that kwok keeps alive.

A group has as many places as machines. A place keeps its zone and its instance type; the machine in it is
replaced when the group is upgraded: the new one comes first, then the old one goes, as EKS does it.
"""

import itertools
import json
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from hashlib import sha256

from localcloud.control_plane import image_pulls
from localcloud.control_plane.api import Object
from localcloud.control_plane.cloud_provider import SIMULATED
from localcloud.control_plane.machines import InstanceType, Machine
from localcloud.control_plane.nodeadm import NodeSettings
from localcloud.control_plane.parallel import parallel_map
from localcloud.control_plane.plane import ControlPlane
from localcloud.control_plane.stand_ins import pods
from localcloud.control_plane.stand_ins.processes import port_name
from localcloud.errors import Refusal
from localcloud.tools import cache
from localcloud.tools.table import TOOLS

GROUP = "eks.amazonaws.com/nodegroup"
ZONE = "topology.kubernetes.io/zone"
CAPACITY = "eks.amazonaws.com/capacityType"
SCALING_GROUP = "localcloud/auto-scaling-group"
"""Label of machines whose group EKS does not manage; on AWS they have none of a group."""

SPOT = "SPOT"

# Prefix of the taints that Kubernetes itself sets and removes.
KUBERNETES_TAINT = "node.kubernetes.io/"

CORDONED_TAINT = f"{KUBERNETES_TAINT}unschedulable"
"""Of a node that somebody cordoned."""

KUBELET_VERSION = cache.version(TOOLS["kube-apiserver"].parts[0]).removeprefix("v")
"""Of a machine whose group names no release."""

PLACE = "localcloud/place"
REVISION = "localcloud/revision"
"""Annotations of a machine: its place in the group, and the version of the group that it has."""

GPUS = "localcloud/gpus"
"""Annotation of a machine: GPUs that a device plugin finds there."""

# A thousand machines take about 20.
READY_TIMEOUT_SECONDS = 120


@dataclass(frozen=True, kw_only=True)
class Taint:
    """A taint of every node of a group; effects as Kubernetes names them, such as NoSchedule."""

    key: str
    effect: str
    value: str = ""


@dataclass(frozen=True, kw_only=True)
class NodeGroup:
    """A node group, managed by EKS or not.

    instance_types: of its machines; on demand they are all of the first, as EKS prefers it.
    zones: over which its machines are spread evenly.
    count: desired machines; `MOKA_MACHINES` caps the actual ones.
    capacity_type: ON_DEMAND or SPOT.
    role: ARN of the machines' IAM role; an annotation of the nodes, without effect here.
    disk: GiB of the root volume.
    settings: of its machines, in user data.
    revision: what only other machines can have: version, image, launch template.
    release: of the machine image, such as 1.35.8-20260930; empty for any.
    max_unavailable: machines that are replaced at the same time.
    launches_first: whether new machines come before the old ones go.
    managed: whether it is a node group of EKS, or an Auto Scaling group of one's own.
    kept_out: why its machines run and do not join; empty where they do.
    """

    name: str
    instance_types: tuple[InstanceType, ...]
    zones: tuple[str, ...]
    count: int
    labels: dict[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    capacity_type: str = "ON_DEMAND"
    role: str = ""
    disk: int = 20
    settings: NodeSettings = field(default_factory=NodeSettings)
    revision: str = ""
    release: str = ""
    max_unavailable: int = 1
    launches_first: bool = True
    managed: bool = True
    kept_out: str = ""

    @property
    def label(self) -> str:
        """Label of its machines with its name."""
        return GROUP if self.managed else SCALING_GROUP

    @property
    def machines(self) -> int:
        """Actual machines: the desired ones, or as many as `MOKA_MACHINES` allows; none that do not join."""
        return 0 if self.kept_out else capped_count(self.count)


def capped_count(count: int) -> int:
    """The desired number of machines, or as many as `MOKA_MACHINES` allows."""
    value = os.environ.get("MOKA_MACHINES")
    if not value:
        return count
    if not value.isdecimal():
        raise Refusal(
            f"MOKA_MACHINES is “{value}”: set it to the most machines of a node group, or unset it."
        )
    return min(count, int(value))


def apply_node_group(plane: ControlPlane, group: NodeGroup) -> set[str]:
    """Make the nodes of a group as it describes them: make missing ones, change others, remove the last ones.

    Machines of another revision are replaced, `max_unavailable` at a time, the new ones first unless the
    group says otherwise. Names of the machines that ended so that its zones are even.
    """
    api = plane.api()
    existing = {node["metadata"]["name"]: node for node in _nodes(plane, group.name, group.label)}
    had = {_place(node) for node in existing.values()}
    places = balanced_places(had, group.machines, len(group.zones))
    uneven_places = had - set(places) if len(places) >= len(had) else set()
    current = {_place(node): name for name, node in existing.items() if _revision(node) == group.revision}
    stay = {place: current[place] for place in places if place in current}
    old = {name: _place(node) for name, node in existing.items() if name not in stay.values()}
    names = _names(group, places, stay, existing)
    kubelet_port = plane.ports.keep(port_name(pods.KEY, pods.HTTP))

    def apply(place: int) -> None:
        name = names[place]
        api.apply(f"/api/v1/nodes/{name}", node(group, place, existing.get(name), name, kubelet_port))

    def make(batch: Sequence[int]) -> None:
        parallel_map(apply, batch)
        _await_ready(plane, group, {names[place] for place in batch})

    _keep(plane, group)
    image_pulls.forget(api)
    moves = {name for name, place in old.items() if place in uneven_places}
    _remove(plane, {name for name, place in old.items() if place not in places or place in stay} - moves)
    replacements = [place for place in places if place in old.values() and place not in stay]
    make([place for place in places if place not in replacements])
    if moves:
        # Auto Scaling launches in the emptier zone before it terminates in the fuller one.
        _report_rebalancing(plane, group, moves)
        _remove(plane, moves)
    for first in range(0, len(replacements), group.max_unavailable):
        batch = replacements[first : first + group.max_unavailable]
        batch_nodes = {name for name, place in old.items() if place in batch}
        if not group.launches_first:
            _remove(plane, batch_nodes)
        make(batch)
        if group.launches_first:
            _remove(plane, batch_nodes)
    return moves


def balanced_places(had: Iterable[int], count: int, zones: int) -> list[int]:
    """Places of so many machines, as evenly over the zones as Auto Scaling has them.

    Machines stay where they are as far as that can be: too many go from the fullest zone, missing ones come
    to the emptiest, and while one zone has two more than another one moves. Places are dealt zone by zone.
    """
    places = set(had)

    def size(zone: int) -> int:
        return sum(1 for place in places if (place - 1) % zones == zone)

    def add() -> None:
        zone = min(range(zones), key=lambda zone: (size(zone), zone))
        places.add(next(place for place in itertools.count(zone + 1, zones) if place not in places))

    def remove() -> None:
        fullest = max(map(size, range(zones)))
        places.remove(max(place for place in places if size((place - 1) % zones) == fullest))

    while len(places) < count:
        add()
    while len(places) > count:
        remove()
    while max(map(size, range(zones))) - min(map(size, range(zones))) > 1:
        remove()
        add()
    return sorted(places)


def _report_rebalancing(plane: ControlPlane, group: NodeGroup, names: Iterable[str]) -> None:
    """An event for each pod that goes with its machine as zones are rebalanced, and for each machine."""
    api, lost_nodes = plane.api(), set(names)
    pods = [pod for pod in api.list("/api/v1/pods") if pod["spec"].get("nodeName") in lost_nodes]
    reason = f"its machine goes: Auto Scaling rebalances the zones of node group {group.name}"
    for pod in pods:
        _event(plane, pod, "Pod", f"Pod {pod['metadata']['name']} ends, as {reason}")
    for name in sorted(lost_nodes):
        count = sum(1 for pod in pods if pod["spec"]["nodeName"] == name)
        node = {"metadata": {"name": name, "namespace": "default"}}
        _event(plane, node, "Node", f"Terminated with {count} pods: {reason}")


def _event(plane: ControlPlane, about: Object, kind: str, message: str) -> None:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    metadata = about["metadata"]
    namespace = metadata["namespace"]
    subject = {key: metadata[key] for key in ("name", "namespace", "uid") if key in metadata}
    plane.api().create(
        f"/api/v1/namespaces/{namespace}/events",
        {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"generateName": f"{metadata['name'][:50]}.", "annotations": {SIMULATED: "event"}},
            "involvedObject": {"apiVersion": "v1", "kind": kind, **subject},
            "type": "Warning",
            "reason": "ZonesRebalanced",
            "message": message,
            "source": {"component": "auto-scaling"},
            "firstTimestamp": now,
            "lastTimestamp": now,
            "count": 1,
        },
    )


def missing_machines(plane: ControlPlane, group: str) -> int:
    """Machines of a group that somebody has taken away since it was last set: their nodes are deleted."""
    file = plane.folder / "node-groups" / f"{group}.json"
    machines = json.loads(file.read_text())["machines"] if file.exists() else 0
    return max(0, machines - len(_nodes(plane, group)))


def _names(
    group: NodeGroup, places: Iterable[int], stay: Mapping[int, str], existing: Iterable[str]
) -> dict[int, str]:
    """Place -> name of its machine: the one that it has, the place's number, or the next free one."""
    numbers = {_last_number(name) for name in existing}
    names = dict(stay)
    for place in places:
        if place not in names:
            number = place if place not in numbers else max(numbers) + 1
            numbers.add(number)
            names[place] = node_name(group.name, number)
    return names


def _revision(live: Object) -> str:
    return str((live["metadata"].get("annotations") or {}).get(REVISION, ""))


def _place(live: Object) -> int:
    annotations = live["metadata"].get("annotations") or {}
    return int(annotations.get(PLACE) or _last_number(live["metadata"]["name"]))


def _last_number(name: str) -> int:
    return int(name.rpartition("-")[2])


def remove_node_group(plane: ControlPlane, name: str, label: str = GROUP) -> None:
    """Remove a group's nodes, and the pods on them; label: of the nodes, with its name."""
    _remove(plane, {node["metadata"]["name"] for node in _nodes(plane, name, label)})
    (plane.folder / "node-groups" / f"{name}.json").unlink(missing_ok=True)


def remove_node(plane: ControlPlane, name: str) -> None:
    """Remove a node, and the pods on it."""
    _remove(plane, {name})


def pods_of_group(plane: ControlPlane, group: str) -> list[Object]:
    """Pods on the nodes of a group."""
    names = {node["metadata"]["name"] for node in _nodes(plane, group)}
    return [pod for pod in plane.api().list("/api/v1/pods") if pod["spec"].get("nodeName") in names]


def disruption_budgets(plane: ControlPlane) -> list[Object]:
    """PodDisruptionBudgets of a cluster."""
    return plane.api().list("/apis/policy/v1/poddisruptionbudgets")


def capped_groups(plane: ControlPlane) -> list[str]:
    """A sentence for every group that has fewer machines here than its stack asks for."""
    files = sorted((plane.folder / "node-groups").glob("*.json"))
    return [
        f"Node group {group['name']} of {plane.name} has {group['machines']} of its {group['count']} "
        f"machines, because of {group.get('kept_out') or 'MOKA_MACHINES.'}"
        for group in (json.loads(file.read_text()) for file in files)
        if group["machines"] < group["count"]
    ]


def ready(live: Object) -> bool:
    """Whether Kubernetes would place pods on this node, were it not cordoned: then it stays so."""
    conditions = live["status"].get("conditions") or []
    healthy = any(condition["type"] == "Ready" and condition["status"] == "True" for condition in conditions)
    troubles = {taint["key"] for taint in _taints(live)} - {CORDONED_TAINT}
    return healthy and not any(trouble.startswith(KUBERNETES_TAINT) for trouble in troubles)


def node_name(group: str, number: int) -> str:
    """Name of a group's machine; numbers start at 1, and a machine keeps its own for as long as it lives."""
    return f"{group}-{number}"


def node(
    group: NodeGroup,
    place: int,
    live: Object | None = None,
    name: str | None = None,
    kubelet_port: int = 10250,
) -> Object:
    """The Node of a group's machine at a place.

    live: the existing one, if there is one. name: by default of the place's number.
    kubelet_port: of 127.0.0.1.
    """
    name = name or node_name(group.name, place)
    kind = instance_type(group, place)
    zone = group.zones[(place - 1) % len(group.zones)]
    machine = Machine(kind, group.disk, group.settings)
    kubelet = f"v{group.release.partition('-')[0] or KUBELET_VERSION}"
    digest = sha256(name.encode())
    address = ".".join(map(str, (10, *digest.digest()[:3])))
    group_taints = [{k: v for k, v in asdict(taint).items() if v} for taint in group.taints]
    other_taints = [t for t in _taints(live) if t["key"].startswith(KUBERNETES_TAINT)]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {**labels(group, kind, zone, name), **group.labels},
            "annotations": {
                "kwok.x-k8s.io/node": "fake",
                SIMULATED: "machine",
                "localcloud/role": group.role,
                **({GPUS: str(kind.gpus)} if kind.gpus else {}),
                PLACE: str(place),
                REVISION: group.revision,
            },
        },
        "spec": {
            "providerID": f"aws:///{zone}/i-{digest.hexdigest()[:17]}",
            "taints": group_taints + other_taints,
        },
        "status": {
            "addresses": [
                {"type": "InternalIP", "address": address},
                {"type": "Hostname", "address": name},
                # Where the API server looks for the kubelet: nothing is at the machine's own address.
                {"type": "ExternalDNS", "address": "localhost"},
            ],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": kubelet_port}},
            "capacity": machine.capacity(),
            "allocatable": machine.allocatable(),
            "nodeInfo": {
                "architecture": kind.architecture,
                "operatingSystem": "linux",
                "osImage": "Amazon Linux 2023",
                "kubeletVersion": kubelet,
                "kubeProxyVersion": kubelet,
                "kernelVersion": "simulated",
                "containerRuntimeVersion": "simulated",
                "machineID": "",
                "systemUUID": "",
                "bootID": "",
            },
        },
    }


def instance_type(group: NodeGroup, place: int) -> InstanceType:
    """Instance type of a group's machine at a place; spot machines are spread over all types."""
    kinds = group.instance_types if group.capacity_type == SPOT else group.instance_types[:1]
    # Zones are taken in turn as well: a type changes once all zones have had it.
    return kinds[(place - 1) // len(group.zones) % len(kinds)]


def labels(group: NodeGroup, kind: InstanceType, zone: str, name: str) -> dict[str, str]:
    """Labels that EKS and kubelet put on a node, beyond the group's own."""
    region = zone.rstrip("abcdefghijklmnopqrstuvwxyz")
    return {
        "kubernetes.io/arch": kind.architecture,
        "kubernetes.io/os": "linux",
        "kubernetes.io/hostname": name,
        "beta.kubernetes.io/arch": kind.architecture,
        "beta.kubernetes.io/os": "linux",
        "beta.kubernetes.io/instance-type": kind.name,
        "node.kubernetes.io/instance-type": kind.name,
        "topology.kubernetes.io/region": region,
        ZONE: zone,
        "failure-domain.beta.kubernetes.io/region": region,
        "failure-domain.beta.kubernetes.io/zone": zone,
        group.label: group.name,
        **({CAPACITY: group.capacity_type} if group.managed else {}),
    }


def _nodes(plane: ControlPlane, group: str, label: str = GROUP) -> list[Object]:
    return plane.api().list("/api/v1/nodes", labelSelector=f"{label}={group}")


def _await_ready(plane: ControlPlane, group: NodeGroup, waiting: set[str]) -> None:
    """Wait until pods can be placed on all of these nodes, as EKS does before it calls a group active."""
    deadline = time.monotonic() + READY_TIMEOUT_SECONDS
    selector = f"{group.label}={group.name}"
    timeout = str(READY_TIMEOUT_SECONDS)
    nodes = plane.api().follow("/api/v1/nodes", labelSelector=selector, timeoutSeconds=timeout)
    while waiting:
        live = next(nodes)
        if ready(live):
            waiting.discard(live["metadata"]["name"])
        elif time.monotonic() > deadline:
            raise Refusal(
                f"{len(waiting)} machines of node group {group.name} are not ready after {timeout} s: "
                f"{plane.process('kwok').log} may say why."
            )


def _remove(plane: ControlPlane, names: Iterable[str]) -> None:
    """Delete nodes and then, as Kubernetes does after a while, the pods that were on them."""
    nodes = set(names)
    if not nodes:
        return
    api = plane.api()
    parallel_map(lambda name: api.delete(f"/api/v1/nodes/{name}"), nodes)
    pods = [pod["metadata"] for pod in api.list("/api/v1/pods") if pod["spec"].get("nodeName") in nodes]
    parallel_map(
        lambda pod: api.delete(
            f"/api/v1/namespaces/{pod['namespace']}/pods/{pod['name']}", gracePeriodSeconds=0
        ),
        pods,
    )


def _keep(plane: ControlPlane, group: NodeGroup) -> None:
    file = plane.folder / "node-groups" / f"{group.name}.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({**asdict(group), "machines": group.machines}, indent=2))


def _taints(live: Object | None) -> list[Object]:
    return list(live["spec"].get("taints") or []) if live else []
