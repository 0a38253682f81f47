"""How long it takes until all pods of a workload are others."""

GRACE_SECONDS = 30
"""That Kubernetes gives a pod to end, where it says nothing else."""

PULL_SECONDS = 120
"""Of an image of a few hundred MB, on a node whose disk is busy."""

START_SECONDS = 30
"""Of a container that has no startup probe."""

LEAST_SECONDS = 600
"""What Pulumi's provider gives every workload (pulumi/pulumi-kubernetes: provider/pkg/await/daemonset.go,
deployment.go, statefulset.go)."""


def rollout_seconds(
    waves: int, *, grace_seconds: int = GRACE_SECONDS, start_seconds: int = START_SECONDS
) -> int:
    """Time for pods to be replaced in so many waves, or one by one.

    grace_seconds: that a pod has to end. start_seconds: until its startup probe gives up.
    """
    return max(LEAST_SECONDS, waves * (grace_seconds + PULL_SECONDS + start_seconds))
