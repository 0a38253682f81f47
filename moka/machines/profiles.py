"""What a cluster's profile decides."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Profile = Literal["batch", "adhoc"]

NodeOrder = Literal["binpacking", "fair"]
"""Where YuniKorn puts a pod: on the fullest node that it fits on, or on the emptiest
(https://yunikorn.apache.org/docs/user_guide/sorting_policies/#node-sorting)."""


@dataclass(frozen=True, kw_only=True)
class ProfileSettings:
    """What a profile decides.

    fixed: groups have one size, or a schedule.
    spot: executors may be on spot machines.
    order: of nodes, for pods of jobs, where no group of drivers or executors changes its size.
    idle_minutes: that a node is empty before the autoscaler removes it: longer than an idle executor stays.
    """

    fixed: bool
    spot: bool
    order: NodeOrder
    idle_minutes: int


PROFILES: Mapping[Profile, ProfileSettings] = {
    # Its jobs are planned: each has the disks and networks of as many machines as there are, and a machine
    # that is given back between two of them may not be had again.
    "batch": ProfileSettings(fixed=True, spot=False, order="fair", idle_minutes=30),
    # Its machines come and go: the autoscaler's own time, and full machines, so that others become empty.
    "adhoc": ProfileSettings(fixed=False, spot=True, order="binpacking", idle_minutes=10),
}


def node_order(profile: Profile, *, autoscaled: bool) -> NodeOrder:
    """Order of nodes for pods of jobs: spread over all, no machine would ever be empty and could go.

    autoscaled: whether a group of drivers or executors changes its size.
    """
    return "binpacking" if autoscaled else PROFILES[profile].order
