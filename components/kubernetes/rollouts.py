"""How pods of a workload of ours are replaced, and how long that may take."""

import pulumi
import pulumi_kubernetes as k8s

from moka.sizes.rollouts import GRACE_SECONDS, LEAST_SECONDS, START_SECONDS, rollout_seconds

WAVES = 10
"""In which a DaemonSet comes to its nodes, however many there are."""


def tenths() -> k8s.apps.v1.DaemonSetUpdateStrategyArgs:
    """Of a DaemonSet: a tenth of its nodes at a time."""
    return k8s.apps.v1.DaemonSetUpdateStrategyArgs(
        rolling_update=k8s.apps.v1.RollingUpdateDaemonSetArgs(max_unavailable=f"{100 // WAVES}%")
    )


def with_time_for(
    opts: pulumi.ResourceOptions,
    waves: int,
    *,
    grace_seconds: int = GRACE_SECONDS,
    start_seconds: int = START_SECONDS,
) -> pulumi.ResourceOptions:
    """Options of a workload whose pods are replaced in so many waves; see `rollout_seconds`."""
    seconds = rollout_seconds(waves, grace_seconds=grace_seconds, start_seconds=start_seconds)
    if seconds == LEAST_SECONDS:
        return opts
    timeouts = pulumi.CustomTimeouts(create=f"{seconds}s", update=f"{seconds}s")
    return pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(custom_timeouts=timeouts))
