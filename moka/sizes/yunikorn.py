"""Size of YuniKorn, from the nodes of its cluster and the tier of its control plane."""

from moka.control_plane_tiers import Tier, pods_a_second

LEAST_REQUESTS = 50
"""A second: what Kubernetes' own scheduler has by default."""


def api_requests_per_second(nodes: int, tier: Tier = "standard") -> int:
    """Requests a second for bindings, and as many for events: what the API server of so many nodes can bear.

    At most the pods a second of the control plane's tier, which EKS gives Kubernetes' own scheduler. Beyond
    what the API server can do bindings fail, and their pods are not tried again.
    """
    return min(pods_a_second(tier), max(LEAST_REQUESTS, nodes // 5))
