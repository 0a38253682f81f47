"""Whether an empty machine would take a pod, by what the scheduler looks at first.

Labels, taints and room for what its containers request; not other pods, nor zones of its volumes.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from localcloud.control_plane.api import Object
from localcloud.quantities import quantity

OPERATORS: Mapping[str, Callable[[str | None, list[str]], bool]] = {
    "In": lambda value, values: value in values,
    "NotIn": lambda value, values: value not in values,
    "Exists": lambda value, values: value is not None,
    "DoesNotExist": lambda value, values: value is None,
}
"""Operator of a required node affinity -> whether a label's value meets it; others are met by none."""

REPELLING = frozenset({"NoSchedule", "NoExecute"})


def takes(node: Object, pod: Object) -> bool:
    """Whether a node of which nothing is used would take a pod."""
    spec = pod["spec"]
    labels = node["metadata"]["labels"]
    tolerations = spec.get("tolerations") or []
    return (
        all(labels.get(key) == value for key, value in (spec.get("nodeSelector") or {}).items())
        and _has_labels(spec, labels)
        and all(
            any(_tolerates(toleration, taint) for toleration in tolerations)
            for taint in node["spec"].get("taints") or []
            if taint["effect"] in REPELLING
        )
        and _has_room(node["status"]["allocatable"], spec["containers"])
    )


def _has_labels(spec: Object, labels: Mapping[str, str]) -> bool:
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    return required is None or any(
        not term.get("matchFields")
        and all(
            _meets(labels.get(condition["key"]), condition["operator"], condition.get("values") or [])
            for condition in term.get("matchExpressions") or []
        )
        for term in required["nodeSelectorTerms"]
    )


def _meets(value: str | None, operator: str, values: list[str]) -> bool:
    return operator in OPERATORS and OPERATORS[operator](value, values)


def _tolerates(toleration: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    key, effect = toleration.get("key"), toleration.get("effect")
    if (key and key != taint["key"]) or (effect and effect != taint["effect"]):
        return False
    return toleration.get("operator") == "Exists" or toleration.get("value", "") == taint.get("value", "")


def _has_room(allocatable: Mapping[str, str], containers: Iterable[Object]) -> bool:
    requests: dict[str, Any] = {}
    for container in containers:
        for name, amount in ((container.get("resources") or {}).get("requests") or {}).items():
            requests[name] = requests.get(name, 0) + quantity(amount)
    return all(amount <= quantity(allocatable.get(name, 0)) for name, amount in requests.items())
