"""How long EKS takes, in minutes: what it documents, and the longest where it gives a bound."""

from collections.abc import Mapping
from typing import Any

from aws_rules.eks.capacity import max_unavailable
from aws_rules.eks.drain import DRAIN_MINUTES, QUIET_MINUTES

CORDON_MINUTES = 1
"""EKS waits 60 seconds once a node is drained: https://docs.aws.amazon.com/eks/latest/userguide/
managed-node-update-behavior.html, upgrade phase."""

JOIN_MINUTES = 3
"""From an instance's launch until its node is ready. EKS gives it 15
(https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html); AL2023 takes two to three."""

SETUP_MINUTES = 5
"""New version of the launch template, and the group's return to its size afterwards: not documented."""

CREATE_MINUTES: Mapping[str, int] = {
    "cluster": 10,
    "nodegroup": SETUP_MINUTES + JOIN_MINUTES,
    "addon": 2,
}
"""Of EKS's things. "Cluster provisioning takes several minutes", the getting-started guide has 10 to 15."""

DELETE_MINUTES: Mapping[str, int] = {
    "cluster": 10,
    "nodegroup": SETUP_MINUTES + DRAIN_MINUTES,
    "addon": 1,
}
"""A group's nodes are drained first, in 15 minutes at most: managed-node-groups.html."""

CONFIG_MINUTES = SETUP_MINUTES + JOIN_MINUTES
"""A change of a group's settings: as long as new machines take to join."""

CLUSTER_VERSION_MINUTES = 10
"""A cluster's next version: "The update takes several minutes to complete" (update-cluster.html)."""


def update_minutes(update: Mapping[str, Any], count: int, drain_minutes: int = QUIET_MINUTES) -> int:
    """How long an update of all machines of a group takes: wave after wave of `maxUnavailable`.

    drain_minutes: until the pods of a wave have left.
    """
    waves = -(-count // max_unavailable(update, count))
    return SETUP_MINUTES + waves * (drain_minutes + CORDON_MINUTES + JOIN_MINUTES)
