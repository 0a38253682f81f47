"""What EKS does with a node group as it replaces its machines.

https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html
"""

MAX_UNAVAILABLE = 100
"""Machines of a group that are replaced at the same time, at most."""


def surge(nodes: int, zones: int, percent: int) -> int:
    """Machines that come beyond a group's maximum before as many go: two a zone, or a wave if that is more.

    percent: of the nodes, which are replaced at the same time.
    """
    return max(2 * zones, min(MAX_UNAVAILABLE, -(-nodes * percent // 100))) if nodes else 0
