"""Settings for nodeadm in the user data of a node group, as far as nodes here can show them.

The MIME parts and NodeConfig are those of awslabs/amazon-eks-ami, nodeadm.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aws_rules.nodes.user_data import node_configs
from localcloud.errors import Refusal
from localcloud.quantities import quantity


@dataclass(frozen=True, kw_only=True)
class NodeSettings:
    """Settings of a group's machines; by default, none.

    max_pods: pods a node.
    kube_reserved, system_reserved: resource -> quantity that pods cannot have.
    eviction_hard: signal -> quantity or share below which the kubelet evicts.
    local_disks: instance storage is one RAID0, and the kubelet's disk.
    names_by_instance_id: nodes have the ids of their instances as names: feature gate InstanceIdNodeName.
    cluster: name of the cluster that they join; EKS names it for machines of managed groups.
    flags: of the kubelet, in order, such as `--node-labels=a=b`.
    """

    max_pods: int | None = None
    kube_reserved: Mapping[str, str] = field(default_factory=dict)
    system_reserved: Mapping[str, str] = field(default_factory=dict)
    eviction_hard: Mapping[str, str] = field(default_factory=dict)
    local_disks: bool = False
    names_by_instance_id: bool = False
    cluster: str = ""
    flags: tuple[str, ...] = ()

    def flag(self, name: str) -> list[str]:
        """Values of a flag of the kubelet, which are parted by commas."""
        values = [flag.partition("=")[2] for flag in self.flags if flag.startswith(f"--{name}=")]
        return [value for text in values for value in text.split(",") if value]


def settings_of_user_data(user_data: str) -> NodeSettings:
    """Settings in a launch template's user data (base64); of several parts the last one wins.

    Raises Refusal for text that nodeadm could not read either.
    """
    kubelet: dict[str, Any] = {}
    local_disks, gates = False, dict[str, bool]()
    cluster, flags = "", list[str]()
    for text in node_configs(base64.b64decode(user_data).decode()):
        spec = _spec(text)
        kubelet |= (spec.get("kubelet") or {}).get("config") or {}
        gates |= spec.get("featureGates") or {}
        cluster = (spec.get("cluster") or {}).get("name") or cluster
        flags += (spec.get("kubelet") or {}).get("flags") or ()
        strategy = ((spec.get("instance") or {}).get("localStorage") or {}).get("strategy")
        local_disks = strategy == "RAID0" if strategy else local_disks
    return NodeSettings(
        max_pods=kubelet.get("maxPods"),
        kube_reserved=kubelet.get("kubeReserved") or {},
        system_reserved=kubelet.get("systemReserved") or {},
        eviction_hard=kubelet.get("evictionHard") or {},
        local_disks=local_disks,
        names_by_instance_id=bool(gates.get("InstanceIdNodeName")),
        cluster=cluster,
        flags=tuple(flags),
    )


def share(value: str, whole: float) -> float:
    """A quantity, or a percentage of a whole."""
    return whole * float(value[:-1]) / 100 if value.endswith("%") else float(quantity(value))


def _spec(text: str) -> Mapping[str, Any]:
    import yaml

    try:
        spec: Mapping[str, Any] = (yaml.safe_load(text) or {}).get("spec") or {}
    except (yaml.YAMLError, AttributeError):
        raise Refusal(
            "User data of a launch template has a part for nodeadm that is no NodeConfig: correct its YAML."
        ) from None
    return spec
