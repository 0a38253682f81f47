"""Machines of an EKS node group, as nodes that kwok keeps alive.

A group has as many places as machines. A place keeps its zone and its kind of instance; the machine in it is
replaced when the group is upgraded: the new one first, then the old one goes, as EKS does it.
"""

import json
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

from localcloud.control_plane.api import Object
from localcloud.control_plane.machines import InstanceType, Machine
from localcloud.control_plane.nodeadm import NodeSettings
from localcloud.control_plane.side_by_side import side_by_side
from localcloud.control_plane.simulated import SIMULATED
from localcloud.errors import Refusal

if TYPE_CHECKING:
    from localcloud.control_plane.plane import ControlPlane

GROUP = "eks.amazonaws.com/nodegroup"
CAPACITY = "eks.amazonaws.com/capacityType"
SPOT = "SPOT"

# Of the taints on a node, those that Kubernetes itself sets and lifts.
OF_KUBERNETES = "node.kubernetes.io/"

KUBELET = "1.34.4"

PLACE = "localcloud/place"
REVISION = "localcloud/revision"
"""Annotations of a machine: its place in the group, and of what version of the group it is."""

# Seconds until machines must be ready; a thousand take about 20.
PATIENCE = 120


@dataclass(frozen=True, kw_only=True)
class Taint:
    """A taint of every node of a group; effect as Kubernetes names it, such as NoSchedule."""

    key: str
    effect: str
    value: str = ""


@dataclass(frozen=True, kw_only=True)
class NodeGroup:
    """A managed node group.

    instance_types: what its machines may be; on demand they are all of the first, as EKS prefers it.
    zones: over which its machines are spread evenly.
    count: machines that are wanted; `MOKA_MACHINES` caps those that are there.
    capacity_type: ON_DEMAND or SPOT.
    role: ARN of the machines' IAM role; kept on the nodes, and of no effect here.
    disk: GiB of the root volume.
    settings: what its machines are told by user data.
    revision: what can only be had by other machines: version, image, launch template.
    release: of the machine image, such as 1.34.2-20261105; empty for any.
    at_once: machines that are replaced at the same time.
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
    at_once: int = 1

    @property
    def machines(self) -> int:
        """Machines that are there: as many as wanted, or as many as `MOKA_MACHINES` allows."""
        return machines_of(self.count)


def machines_of(count: int) -> int:
    """Of so many machines, those that may be there."""
    most = cap()
    return count if most is None else min(count, most)


def cap() -> int | None:
    """How many machines a group may have here, by `MOKA_MACHINES`; None when it may have any number."""
    said = os.environ.get("MOKA_MACHINES")
    if not said:
        return None
    if not said.isdecimal():
        raise Refusal(
            f"MOKA_MACHINES is “{said}”: set it to how many machines a node group may have, or unset it."
        )
    return int(said)


def apply_node_group(plane: "ControlPlane", group: NodeGroup) -> None:
    """Make a group's nodes as it says: make what is missing, change what differs, remove the last ones.

    Machines of another revision are replaced, `at_once` at a time.
    """
    api = plane.api()
    there = {node["metadata"]["name"]: node for node in _nodes(plane, group.name)}
    places = range(1, group.machines + 1)
    current = {_place(node): name for name, node in there.items() if _is_current(node, group)}
    stay = {place: current[place] for place in places if place in current}
    old = {name: _place(node) for name, node in there.items() if name not in stay.values()}
    names = _names(group, places, stay, there)

    def make(some: Iterable[int]) -> None:
        made = list(some)
        side_by_side(
            lambda place: api.apply(
                f"/api/v1/nodes/{names[place]}", node(group, place, there.get(names[place]), names[place])
            ),
            made,
        )
        _await_ready(plane, group, {names[place] for place in made})

    _keep(plane, group)
    _remove(plane, {name for name, place in old.items() if place not in places or place in stay})
    replaced = [place for place in places if place in old.values() and place not in stay]
    make(place for place in places if place not in replaced)
    for first in range(0, len(replaced), group.at_once):
        batch = replaced[first : first + group.at_once]
        make(batch)
        _remove(plane, {name for name, place in old.items() if place in batch})


def _names(
    group: NodeGroup, places: Iterable[int], stay: Mapping[int, str], there: Iterable[str]
) -> dict[int, str]:
    """A name for the machine of each place: its own, the place's number, or the next free one."""
    taken = {_last_number(name) for name in there}
    names = dict(stay)
    for place in places:
        if place not in names:
            number = place if place not in taken else max(taken) + 1
            taken.add(number)
            names[place] = node_name(group.name, number)
    return names


def _is_current(found: Object, group: NodeGroup) -> bool:
    return bool((found["metadata"].get("annotations") or {}).get(REVISION, "") == group.revision)


def _place(found: Object) -> int:
    annotations = found["metadata"].get("annotations") or {}
    return int(annotations.get(PLACE) or _last_number(found["metadata"]["name"]))


def _last_number(name: str) -> int:
    return int(name.rpartition("-")[2])


def remove_node_group(plane: "ControlPlane", name: str) -> None:
    """Remove a group's nodes, and the pods on them."""
    _remove(plane, {node["metadata"]["name"] for node in _nodes(plane, name)})
    (plane.folder / "node-groups" / f"{name}.json").unlink(missing_ok=True)


def capped(plane: "ControlPlane") -> list[str]:
    """A sentence for each group that has fewer machines here than its stack asks for."""
    kept = sorted((plane.folder / "node-groups").glob("*.json"))
    return [
        f"Node group {group['name']} of {plane.name} has {group['machines']} of its {group['count']} "
        "machines, as MOKA_MACHINES says."
        for group in (json.loads(path.read_text()) for path in kept)
        if group["machines"] < group["count"]
    ]


def is_ready(found: Object) -> bool:
    """Whether Kubernetes places pods on this node."""
    conditions = found["status"].get("conditions") or []
    ready = any(condition["type"] == "Ready" and condition["status"] == "True" for condition in conditions)
    return ready and not any(taint["key"].startswith(OF_KUBERNETES) for taint in _taints(found))


def node_name(group: str, number: int) -> str:
    """Name of a group's machine; numbers start at 1, and a machine keeps its own for as long as it lives."""
    return f"{group}-{number}"


def node(group: NodeGroup, place: int, before: Object | None = None, name: str | None = None) -> Object:
    """The Node of a group's machine at a place.

    before: as it is now, if it is there. name: by default of the place's number.
    """
    name = name or node_name(group.name, place)
    kind = instance_type(group, place)
    zone = group.zones[(place - 1) % len(group.zones)]
    machine = Machine(kind, group.disk, group.settings)
    kubelet = f"v{group.release.partition('-')[0] or KUBELET}"
    address = f"10.{_number(name) >> 16 & 0xFF}.{_number(name) >> 8 & 0xFF}.{_number(name) & 0xFF}"
    ours = [{k: v for k, v in asdict(taint).items() if v} for taint in group.taints]
    theirs = [t for t in _taints(before) if t["key"].startswith(OF_KUBERNETES)]
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
                PLACE: str(place),
                REVISION: group.revision,
            },
        },
        "spec": {
            "providerID": f"aws:///{zone}/i-{sha256(name.encode()).hexdigest()[:17]}",
            "taints": ours + theirs,
        },
        "status": {
            "addresses": [
                {"type": "InternalIP", "address": address},
                {"type": "Hostname", "address": name},
            ],
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
    """What kind of instance a group's machine at a place is; spot machines are spread over all kinds."""
    kinds = group.instance_types if group.capacity_type == SPOT else group.instance_types[:1]
    # Zones are taken in turn as well: a kind changes once all zones have had it.
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
        "topology.kubernetes.io/zone": zone,
        "failure-domain.beta.kubernetes.io/region": region,
        "failure-domain.beta.kubernetes.io/zone": zone,
        GROUP: group.name,
        CAPACITY: group.capacity_type,
    }


def _nodes(plane: "ControlPlane", group: str) -> list[Object]:
    return plane.api().list("/api/v1/nodes", labelSelector=f"{GROUP}={group}")


def _await_ready(plane: "ControlPlane", group: NodeGroup, waiting: set[str]) -> None:
    """Wait until pods can be placed on all of these nodes, as EKS does before it calls a group active."""
    deadline = time.monotonic() + PATIENCE
    selector = f"{GROUP}={group.name}"
    watching = plane.api().follow("/api/v1/nodes", labelSelector=selector, timeoutSeconds=str(PATIENCE))
    while waiting:
        found = next(watching)
        if is_ready(found):
            waiting.discard(found["metadata"]["name"])
        elif time.monotonic() > deadline:
            raise Refusal(
                f"{len(waiting)} machines of node group {group.name} are not ready after {PATIENCE} s: "
                f"{plane.process('kwok').log} may say why."
            )


def _remove(plane: "ControlPlane", names: Iterable[str]) -> None:
    """Delete nodes and then, as Kubernetes does in its own time, the pods that were on them."""
    gone = set(names)
    if not gone:
        return
    api = plane.api()
    side_by_side(lambda name: api.delete(f"/api/v1/nodes/{name}"), gone)
    pods = [pod["metadata"] for pod in api.list("/api/v1/pods") if pod["spec"].get("nodeName") in gone]
    side_by_side(
        lambda pod: api.delete(
            f"/api/v1/namespaces/{pod['namespace']}/pods/{pod['name']}", gracePeriodSeconds=0
        ),
        pods,
    )


def _keep(plane: "ControlPlane", group: NodeGroup) -> None:
    kept = plane.folder / "node-groups" / f"{group.name}.json"
    kept.parent.mkdir(exist_ok=True)
    kept.write_text(json.dumps({**asdict(group), "machines": group.machines}, indent=2))


def _taints(before: Object | None) -> list[Object]:
    return list(before["spec"].get("taints") or []) if before else []


def _number(name: str) -> int:
    return int(sha256(name.encode()).hexdigest()[:6], 16)
