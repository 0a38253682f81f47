"""Tiers of EKS's Provisioned Control Plane: what a control plane carries from the start."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

Tier = Literal["standard", "tier-xl", "tier-2xl", "tier-4xl", "tier-8xl"]
"""As EKS writes them (API ControlPlaneScalingConfig)."""

TIERS: tuple[Tier, ...] = get_args(Tier)


@dataclass(frozen=True, kw_only=True)
class Capacity:
    """What a control plane of a tier carries. Numbers of its set-up, no throughput that is promised.

    seats: of API requests at once; a request that lists takes up to ten. pods_a_second: that Kubernetes' own
    scheduler may bind. database_gb: of etcd.
    """

    seats: int
    pods_a_second: int
    database_gb: int = 16


CAPACITIES: Mapping[Tier, Capacity] = {
    "tier-xl": Capacity(seats=1_700, pods_a_second=167),
    "tier-2xl": Capacity(seats=3_400, pods_a_second=283),
    "tier-4xl": Capacity(seats=6_800, pods_a_second=400),
    "tier-8xl": Capacity(seats=13_600, pods_a_second=400),
}
"""Of the provisioned tiers; from Kubernetes 1.34 on the seats are 2,000, 4,000, 8,000 and 16,000.

`standard` has none: it begins at 600 requests in flight and 8 GB, and EKS raises it with the load, up to
2,000 requests. https://docs.aws.amazon.com/eks/latest/userguide/eks-provisioned-control-plane.html,
https://docs.aws.amazon.com/eks/latest/best-practices/scale-control-plane.html
"""

MOST_PODS_A_SECOND = max(capacity.pods_a_second for capacity in CAPACITIES.values())


def pods_a_second(tier: Tier) -> int:
    """Pods a second that a tier is set up for; `standard` has no such number: those of the largest."""
    return CAPACITIES[tier].pods_a_second if tier in CAPACITIES else MOST_PODS_A_SECOND


def smallest_for(requests: int) -> Tier:
    """The smallest tier that is set up for so many pods a second, or else the smallest of those for most."""
    rate = min(requests, MOST_PODS_A_SECOND)
    return next(tier for tier, capacity in CAPACITIES.items() if capacity.pods_a_second >= rate)
