"""How long an update of a DaemonSet takes, however many nodes there are."""

from collections.abc import Mapping
from math import ceil
from typing import Any

WAVE_SECONDS = 180
"""A pod that ends in the 30 s that Kubernetes gives it, the pull of an image of a few hundred MB on a node
whose disk is busy, and the start of the next one."""

LEAST_SECONDS = 600


def rollout_seconds(strategy: Mapping[str, Any]) -> int:
    """Time for all pods of a DaemonSet to be replaced, by its update strategy.

    A share such as `10%` is ten waves at any number of nodes, and Helm waits for the last one to have begun
    (helm/helm: pkg/kube/ready.go, daemonSetReady). Raises ValueError for a fixed number of pods at a time,
    with which the time grows with the nodes.
    """
    unavailable = (strategy.get("rollingUpdate") or {}).get("maxUnavailable")
    if not isinstance(unavailable, str) or not unavailable.endswith("%"):
        raise ValueError(
            f"a DaemonSet on every node is updated by {unavailable or 1} pod at a time, which takes hours on "
            "a thousand nodes: set its maxUnavailable to a share, such as 10%"
        )
    return max(LEAST_SECONDS, ceil(100 / float(unavailable.removesuffix("%"))) * WAVE_SECONDS)
