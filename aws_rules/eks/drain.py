"""Draining the nodes of a group: how long it takes, and what keeps it from ending."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from aws_rules.rule import Rule, Violation

DRAIN = Rule(
    name="node-drain",
    authority="EKS",
    decides="whether pods can be evicted from the nodes of a group that is updated",
    source="https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html",
)

RULES = (DRAIN,)

DRAIN_MINUTES = 15
"""A node's pods have these to leave, or the update fails: the same page."""

QUIET_MINUTES = 2
"""Of a node whose pods leave at once: not documented."""

Object = Mapping[str, Any]


def evicted(pods: Sequence[Object]) -> list[Object]:
    """Pods that a drain evicts: not those of DaemonSets, and not those that have ended."""
    return [
        pod
        for pod in pods
        if (pod.get("status") or {}).get("phase") not in ("Succeeded", "Failed")
        and not any(owner["kind"] == "DaemonSet" for owner in pod["metadata"].get("ownerReferences") or ())
    ]


def drain_minutes(pods: Sequence[Object]) -> int:
    """How long the slowest of these pods may take to leave."""
    seconds = max(
        (pod["spec"].get("terminationGracePeriodSeconds") or 30 for pod in evicted(pods)), default=0
    )
    return min(DRAIN_MINUTES, max(QUIET_MINUTES, -(-seconds // 60)))


def drain(group: str, pods: Sequence[Object], budgets: Sequence[Object]) -> Iterator[Violation]:
    """What EKS fails at when it drains these pods.

    group: as an engineer names it. budgets: PodDisruptionBudgets of the cluster.
    """
    for pod in evicted(pods):
        seconds = pod["spec"].get("terminationGracePeriodSeconds") or 30
        for budget in budgets:
            if _covers(budget, pod) and _never_allows(budget):
                yield _violation(group, pod, f"loosen PodDisruptionBudget {budget['metadata']['name']}")
                return
        if seconds > DRAIN_MINUTES * 60:
            yield _violation(group, pod, f"shorten its termination grace period of {seconds} s")
            return


def _violation(group: str, pod: Object, remedy: str) -> Violation:
    name = f"{pod['metadata'].get('namespace')}/{pod['metadata']['name']}"
    return Violation(
        rule=DRAIN,
        resource=group,
        code="PodEvictionFailure",
        message="Reached max retries while trying to evict pods from nodes in node group",
        remedy=f"{remedy}, which keeps pod {name} on its node, or set forceUpdateVersion",
    )


def _covers(budget: Object, pod: Object) -> bool:
    selector = budget["spec"].get("selector") or {}
    labels, selection = pod["metadata"].get("labels") or {}, selector.get("matchLabels") or {}
    same_namespace = budget["metadata"].get("namespace") == pod["metadata"].get("namespace")
    # Expressions are left out: such a budget is taken to let pods go.
    return bool(
        same_namespace
        and selection
        and not selector.get("matchExpressions")
        and selection.items() <= labels.items()
    )


def _never_allows(budget: Object) -> bool:
    """Whether a budget allows no disruption even when all of its pods are healthy."""
    status = budget.get("status") or {}
    return bool(status.get("expectedPods")) and status.get("desiredHealthy", 0) >= status["expectedPods"]
