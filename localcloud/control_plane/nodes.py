"""Machines of an EKS node group, as nodes that kwok keeps alive.

What a machine offers is worked out as EKS's own image does it: pods by the rule for prefix delegation, and
what kubelet and system keep for themselves by nodeadm's formulas (awslabs/amazon-eks-ami, nodeadm:
internal/kubelet/config.go and eviction).
"""

import json
import os
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

from localcloud.control_plane.api import Object
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

KUBELET = "v1.34.4"

# Seconds until machines must be ready; a thousand take about 20.
PATIENCE = 120


@dataclass(frozen=True, kw_only=True)
class InstanceType:
    """A kind of EC2 instance.

    architecture: as Kubernetes names it: arm64 or amd64.
    memory: MiB.
    """

    name: str
    architecture: str
    vcpus: int
    memory: int


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

    @property
    def machines(self) -> int:
        """Machines that are there: as many as wanted, or as many as `MOKA_MACHINES` allows."""
        most = cap()
        return self.count if most is None else min(self.count, most)


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
    """Make a group's nodes as it says: make what is missing, change what differs, remove the last ones."""
    api = plane.api()
    there = {node["metadata"]["name"]: node for node in _nodes(plane, group.name)}
    wanted = {node_name(group.name, n): n for n in range(1, group.machines + 1)}

    def apply(name: str) -> None:
        api.apply(f"/api/v1/nodes/{name}", node(group, wanted[name], there.get(name)))

    _keep(plane, group)
    side_by_side(apply, wanted)
    _remove(plane, there.keys() - wanted.keys())
    _await_ready(plane, group, set(wanted))


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
    """Name of a group's machine; numbers start at 1, and a machine keeps its own."""
    return f"{group}-{number}"


def node(group: NodeGroup, number: int, before: Object | None = None) -> Object:
    """The Node of a group's machine.

    before: as it is now, if it is there.
    """
    name = node_name(group.name, number)
    kind = instance_type(group, number)
    zone = group.zones[(number - 1) % len(group.zones)]
    offered, left = capacity(kind, group.disk), allocatable(kind, group.disk)
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
            "capacity": offered,
            "allocatable": left,
            "nodeInfo": {
                "architecture": kind.architecture,
                "operatingSystem": "linux",
                "osImage": "Amazon Linux 2023",
                "kubeletVersion": KUBELET,
                "kubeProxyVersion": KUBELET,
                "kernelVersion": "simulated",
                "containerRuntimeVersion": "simulated",
                "machineID": "",
                "systemUUID": "",
                "bootID": "",
            },
        },
    }


def instance_type(group: NodeGroup, number: int) -> InstanceType:
    """What kind of instance a group's machine is; spot machines are spread over all kinds."""
    kinds = group.instance_types if group.capacity_type == SPOT else group.instance_types[:1]
    # Zones are taken in turn as well: a kind changes once all zones have had it.
    return kinds[(number - 1) // len(group.zones) % len(kinds)]


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


def most_pods(kind: InstanceType) -> int:
    """Pods a node with prefix delegation: EKS's own recommendation, by vCPUs."""
    return 110 if kind.vcpus < 30 else 250


def capacity(kind: InstanceType, disk: int) -> dict[str, str]:
    """All that a machine has."""
    return {
        "cpu": str(kind.vcpus),
        "memory": f"{kind.memory}Mi",
        "pods": str(most_pods(kind)),
        "ephemeral-storage": f"{disk}Gi",
    }


def allocatable(kind: InstanceType, disk: int) -> dict[str, str]:
    """What a machine has for pods: less what nodeadm reserves, and less what is kept from eviction."""
    reserved = 255 + 11 * most_pods(kind)
    return {
        "cpu": f"{kind.vcpus * 1000 - reserved_cpu(kind.vcpus)}m",
        "memory": f"{kind.memory - reserved - 100}Mi",
        "pods": str(most_pods(kind)),
        "ephemeral-storage": f"{disk * 1024 * 9 // 10 - 1024}Mi",
    }


def reserved_cpu(vcpus: int) -> int:
    """Thousandths of a CPU that kubelet keeps: 6% of the first, 1% of the next, 0.5% of two more, 0.25%."""
    shares = [60, 10, 5, 5]
    return int(sum(shares[:vcpus]) + 2.5 * max(0, vcpus - len(shares)))


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
