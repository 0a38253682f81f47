"""Pods as manifests have them, and the nodes that Kubernetes' scheduler may place them on."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Manifest = Mapping[str, Any]

WORKLOADS = {
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
    "DaemonSet": ("spec", "template"),
    "Deployment": ("spec", "template"),
    "Job": ("spec", "template"),
    "Pod": (),
    "ReplicaSet": ("spec", "template"),
    "StatefulSet": ("spec", "template"),
}
"""Kinds that make pods, and the path of the pod template in them."""


@dataclass(frozen=True)
class Pods:
    """The pods of one workload: its kind and name, their labels and their spec."""

    kind: str
    name: str
    namespace: str
    labels: Mapping[str, str]
    spec: Manifest

    @property
    def account(self) -> tuple[str, str]:
        """Namespace and name of their service account."""
        return self.namespace, self.spec.get("serviceAccountName") or "default"

    @property
    def images(self) -> set[str]:
        """What their containers run."""
        return {
            container["image"]
            for key in ("initContainers", "containers")
            for container in self.spec.get(key) or []
        }


@dataclass(frozen=True)
class Node:
    """Labels and taints of a node, as Kubernetes writes them."""

    labels: Mapping[str, str]
    taints: tuple[Mapping[str, str], ...] = field(default=())


def pods_of(manifests: Iterable[Manifest], namespace: str = "default") -> Iterator[Pods]:
    """The pods that manifests make. namespace: of those that name none."""
    for manifest in manifests:
        path = WORKLOADS.get(manifest["kind"])
        if path is None:
            continue
        template = manifest
        for key in path:
            template = template[key]
        metadata = manifest["metadata"]
        yield Pods(
            kind=manifest["kind"],
            name=metadata["name"],
            namespace=metadata.get("namespace") or namespace,
            labels=template.get("metadata", {}).get("labels") or {},
            spec=template["spec"],
        )


def schedulable(pods: Pods, node: Node) -> bool:
    """Whether the scheduler may place such a pod on a node, by selectors, affinity and taints."""
    spec = pods.spec
    selector = spec.get("nodeSelector") or {}
    if any(node.labels.get(key) != value for key, value in selector.items()):
        return False
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    if required and not any(_fits(node, term) for term in required["nodeSelectorTerms"]):
        return False
    taints = [taint for taint in node.taints if taint["effect"] != "PreferNoSchedule"]
    tolerations = spec.get("tolerations") or []
    return all(any(_tolerates(toleration, taint) for toleration in tolerations) for taint in taints)


def selects(selector: Manifest, labels: Mapping[str, str]) -> bool:
    """Whether a label selector is for things with these labels."""
    return all(
        labels.get(key) == value for key, value in (selector.get("matchLabels") or {}).items()
    ) and _fits(Node(labels), selector)


def _fits(node: Node, term: Manifest) -> bool:
    return all(_holds(node.labels, expression) for expression in term.get("matchExpressions") or [])


def _holds(labels: Mapping[str, str], expression: Manifest) -> bool:
    key, operator, values = expression["key"], expression["operator"], expression.get("values") or []
    return {
        "In": labels.get(key) in values,
        "NotIn": labels.get(key) not in values,
        "Exists": key in labels,
        "DoesNotExist": key not in labels,
    }[operator]


def _tolerates(toleration: Manifest, taint: Mapping[str, str]) -> bool:
    if toleration.get("effect") not in (None, "", taint["effect"]):
        return False
    if toleration.get("operator") == "Exists":
        return toleration.get("key") in (None, "", taint["key"])
    return (toleration.get("key"), toleration.get("value", "")) == (taint["key"], taint.get("value", ""))
