"""How long an update of a DaemonSet takes, however many nodes there are."""

from collections.abc import Mapping
from math import ceil

from moka.sizes.rollouts import rollout_seconds

UPDATE_STRATEGIES: Mapping[str, str] = {"fluent-bit": "updateStrategy", "opentelemetry-agent": "rollout"}
"""Release of a chart that is a DaemonSet -> its value with the update strategy."""


def strategy_seconds(strategy: object) -> int:
    """Time for all pods of a chart's DaemonSet to be replaced, by its update strategy.

    A share such as `10%` is ten waves at any number of nodes, and Helm waits for the last one to have begun
    (helm/helm: pkg/kube/ready.go, daemonSetReady). Raises ValueError, a clause, for a fixed number of pods at
    a time, with which the time grows with the nodes, and for what Kubernetes would not take.
    """
    kind = strategy.get("type", "RollingUpdate") if isinstance(strategy, Mapping) else "RollingUpdate"
    if kind != "RollingUpdate":
        raise ValueError(f"has type {kind!r}, with which no update reaches the nodes; remove it")
    share = _unavailable(strategy)
    digits = share.removesuffix("%") if isinstance(share, str) and share.endswith("%") else ""
    # As Kubernetes takes it: pkg/apis/core/validation, IsValidPercent and IsNotMoreThan100Percent.
    if not (digits.isascii() and digits.isdecimal() and 1 <= int(digits) <= 100):
        raise ValueError(
            f"has maxUnavailable {1 if share is None else share!r}, but only with a share of the nodes an "
            "update takes as long on a thousand of them as on ten; set it from 1% to 100%, such as 10%"
        )
    return rollout_seconds(ceil(100 / int(digits)))


def _unavailable(strategy: object) -> object:
    rolling = strategy.get("rollingUpdate") if isinstance(strategy, Mapping) else None
    return rolling.get("maxUnavailable") if isinstance(rolling, Mapping) else None
