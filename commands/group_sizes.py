"""Sizes of a node group that shrinks: what its managed groups keep, and the settings that follow."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from time import sleep
from typing import TYPE_CHECKING

from commands.machines_api import set_bounds
from doctor.scaling_groups import ScalingGroup, scaling_groups
from moka.machines.departure import Bounds
from stacks.settings.cluster import NodeGroup
from stacks.settings.node_group_plan import share

if TYPE_CHECKING:
    from doctor.account import Place

SIZE_PAUSES_SECONDS = (5, 10, 15, 30, 30, 30)
"""Until EKS knows the size that Auto Scaling has: "can be out-of-date for short periods of time"
(https://docs.aws.amazon.com/eks/latest/APIReference/API_NodegroupScalingConfig.html)."""

SayBounds = Callable[[str, int, int], None]
"""(managed group, its minimum, its maximum)."""


@dataclass(frozen=True, kw_only=True)
class GroupSizes:
    """Bounds of the managed groups of one group in EKS, which follow as machines go.

    cluster: name in EKS.
    fixed: it has one size, so that the maximum comes down with the minimum; else the autoscaler, for which
        pods of executors always wait, would launch machines again at once.
    """

    place: "Place"
    cluster: str
    fixed: bool
    say: SayBounds

    def make_room(self, group: str, number: int) -> None:
        """Lower a minimum below which so many machines could not end. Raises NoAnswer."""
        live = self._live(group)
        minimum = live.bounds.desired - number
        if minimum < live.bounds.minimum:
            set_bounds(self.place, self.cluster, group, minSize=minimum)
            self.say(group, minimum, live.maximum)

    def close(self, group: str) -> None:
        """Lower the maximum of a fixed group to the size that it has come to. Raises NoAnswer."""
        from doctor.account import NoAnswer

        for pause in (*SIZE_PAUSES_SECONDS, None):
            live = self._live(group)
            if not self.fixed or live.maximum == live.bounds.desired:
                return
            try:
                set_bounds(self.place, self.cluster, group, maxSize=live.bounds.desired)
            except NoAnswer as error:
                if pause is None or error.code != "InvalidParameterException":
                    raise
                sleep(pause)
            else:
                self.say(group, live.bounds.minimum, live.bounds.desired)
                return

    def _live(self, group: str) -> ScalingGroup:
        return scaling_groups(self.place, self.cluster, [group])[group]


@dataclass(frozen=True, kw_only=True)
class FollowUp:
    """What is to be changed in the settings once a group has shrunk: path -> number, and a sentence."""

    settings: Mapping[str, int]
    sentence: str


def is_fixed(group: NodeGroup) -> bool:
    """Whether a group of the settings has one size."""
    return group.minimum == group.maximum and not group.schedule


def kept(groups: Mapping[str, Bounds], number: int) -> dict[str, Bounds]:
    """Bounds of managed groups with minimums as low as it takes to lose so many machines, and no lower.

    groups: in the order of the settings' zones. What stays is shared out over them as `up` would.
    """
    remainder = max(0, sum(bounds.desired for bounds in groups.values()) - number)
    return {
        name: replace(bounds, minimum=min(bounds.minimum, share(remainder, part, len(groups))))
        for part, (name, bounds) in enumerate(groups.items())
    }


def after(groups: Mapping[str, Bounds], leaving: Mapping[str, int]) -> dict[str, Bounds]:
    """Bounds of managed groups once so many machines of each have gone."""
    sizes = {name: bounds.desired - leaving.get(name, 0) for name, bounds in groups.items()}
    return {
        name: Bounds(minimum=min(bounds.minimum, sizes[name]), desired=sizes[name])
        for name, bounds in groups.items()
    }


def follow_up(group: NodeGroup, path: str, groups: Mapping[str, Bounds]) -> FollowUp | None:
    """What the settings of a group have to say once its managed groups have come to these sizes.

    path: of the group in the settings. None where they say it already.
    """
    size = sum(bounds.desired for bounds in groups.values())
    minimum = sum(bounds.minimum for bounds in groups.values())
    if group.schedule:
        above = {name: change.minimum for name, change in group.schedule.items() if change.minimum > size}
        if not above:
            return None
        back = ", ".join(f"{name} sets the minimum to {number}" for name, number in above.items())
        changes = {f"{path}.schedule.{name}.minimum": size for name in above}
        return FollowUp(
            settings=changes,
            sentence=f"Its schedule brings machines back: {back}. To keep {size} set {_list(changes)}, and "
            "run `up`, which then changes the schedule only.",
        )
    if is_fixed(group):
        if size == group.maximum:
            return None
        keys = ["minimum", *(["desired"] if group.desired is not None else []), "maximum"]
        changes = {f"{path}.{key}": size for key in keys}
        uneven = {
            name: (bounds.desired, share(size, part, len(groups)))
            for part, (name, bounds) in enumerate(groups.items())
            if bounds.desired != share(size, part, len(groups))
        }
        then = (
            f"`up` then has {', '.join(f'{name} go from {a} to {b}' for name, (a, b) in uneven.items())}"
            if uneven
            else "`up` then leaves its machines as they are"
        )
    else:
        if minimum >= group.minimum:
            return None
        changes = {f"{path}.minimum": minimum}
        then = "run `up` with ARGS=--refresh, which then leaves its machines as they are"
    return FollowUp(
        settings=changes,
        sentence=f"Set {_list(changes)}; {then}. With the settings as they are, `up` with ARGS=--refresh "
        "brings machines back.",
    )


def _list(changes: Mapping[str, int]) -> str:
    return " and ".join(f"{path} to {number}" for path, number in changes.items())
