"""Where pods go: nodes have a role, and all but system nodes keep out what does not tolerate it."""

import pulumi_kubernetes as k8s

from moka.machines.node_roles import Role
from moka.names import ROLE_LABEL

PLATFORM_PRIORITY = "system-cluster-critical"
"""Priority class of what jobs depend on. Kubernetes' own, so that nothing waits for one of ours."""


def node_selector(role: Role) -> dict[str, str]:
    """Only nodes with this role."""
    return {ROLE_LABEL: role}


def tolerations(role: Role) -> list[k8s.core.v1.TolerationArgs]:
    """What a pod needs to run on nodes with this role."""
    if role == "system":
        return []
    return [k8s.core.v1.TolerationArgs(key=ROLE_LABEL, operator="Equal", value=role, effect="NoSchedule")]


def one_a_node(labels: dict[str, str]) -> k8s.core.v1.AffinityArgs:
    """No two pods with these labels on one node."""
    apart = k8s.core.v1.PodAffinityTermArgs(
        label_selector=k8s.meta.v1.LabelSelectorArgs(match_labels=labels),
        topology_key="kubernetes.io/hostname",
    )
    return k8s.core.v1.AffinityArgs(
        pod_anti_affinity=k8s.core.v1.PodAntiAffinityArgs(
            required_during_scheduling_ignored_during_execution=[apart]
        )
    )
