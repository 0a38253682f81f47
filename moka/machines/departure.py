"""The machines of a node group that go when it shrinks, and what a pod there means for its machine's end."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from moka.names import CELEBORN_NAMESPACE, LABEL_PREFIX

LEAVING_ANNOTATION = f"{LABEL_PREFIX}leaving"
"""Annotation of a node that was cordoned as its group shrinks; without it somebody cordoned it by hand."""

Stay = Literal["driver", "single", "worker", "movable"]
"""What a machine's end means for a pod: a driver is its job, and a single pod nobody makes again, so both are
waited for; a worker of Celeborn first gives up its data; any other pod is evicted."""

MIRROR_ANNOTATION = "kubernetes.io/config.mirror"
"""Of pods that the kubelet makes of files."""

FINISHED = frozenset({"Succeeded", "Failed"})


class DepartureRefused(Exception):
    """Why a group cannot lose so many machines, as a sentence."""


@dataclass(frozen=True, kw_only=True)
class Machine:
    """A machine of a node group.

    name: of its node.
    group: managed node group, of which a group of the settings may have one a zone.
    zone: that it is in.
    cordoned: no new pods come.
    leaving: it was cordoned because its group shrinks.
    stays: of the pods that its end means something for.
    """

    name: str
    group: str
    zone: str
    cordoned: bool = False
    leaving: bool = False
    stays: tuple[Stay, ...] = ()

    @property
    def cordoned_by_hand(self) -> bool:
        """Whether somebody cordoned it by hand, for reasons of their own."""
        return self.cordoned and not self.leaving

    @property
    def weight(self) -> tuple[int, ...]:
        """Order in which machines go: those with the least to wait for, or to move, first."""
        counts = Counter(self.stays)
        return (counts["driver"], counts["single"], counts["worker"], counts["movable"])


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """Sizes of a managed node group: what it keeps, and what it has."""

    minimum: int
    desired: int

    @property
    def room(self) -> int:
        """Machines that it can lose."""
        return max(0, self.desired - self.minimum)


def stay(pod: Mapping[str, Any]) -> Stay | None:
    """What the end of its machine means for a pod, as the API server describes it; None for nothing."""
    metadata, phase = pod["metadata"], (pod.get("status") or {}).get("phase")
    labels, annotations = metadata.get("labels") or {}, metadata.get("annotations") or {}
    owners = metadata.get("ownerReferences") or ()
    owner: Mapping[str, Any] = next((reference for reference in owners if reference.get("controller")), {})
    if phase in FINISHED or MIRROR_ANNOTATION in annotations or owner.get("kind") == "DaemonSet":
        return None
    if labels.get("spark-role") == "driver":
        return "driver"
    if metadata["namespace"] == CELEBORN_NAMESPACE and labels.get("app.kubernetes.io/role") == "worker":
        return "worker"
    return "movable" if owner else "single"


def departing(machines: Iterable[Machine], number: int, bounds: Mapping[str, Bounds]) -> list[Machine]:
    """The machines that go when a group loses so many: first those that an earlier run chose.

    bounds: managed node group -> its sizes.

    Within a managed group that spans zones a machine goes from the fullest zone, as Auto Scaling would even
    them out by ending another, whatever runs there. Then the one goes on which least has to be waited for.

    Raises DepartureRefused.
    """
    present = list(machines)
    leaving = sorted((machine for machine in present if machine.leaving), key=lambda machine: machine.name)
    departures = leaving[:number]
    candidates = [machine for machine in present if not machine.cordoned]
    counts = Counter(machine.group for machine in departures)
    zones = Counter((machine.group, machine.zone) for machine in present if machine not in departures)
    while len(departures) < number:
        open_ones = [machine for machine in candidates if counts[machine.group] < bounds[machine.group].room]
        if not open_ones:
            raise DepartureRefused(_refusal(present, number, bounds))
        fullest = {
            group: max(zones[machine.group, machine.zone] for machine in open_ones if machine.group == group)
            for group in {machine.group for machine in open_ones}
        }
        even = [
            machine for machine in open_ones if zones[machine.group, machine.zone] == fullest[machine.group]
        ]
        machine = min(
            even, key=lambda machine: (machine.weight, -zones[machine.group, machine.zone], machine.name)
        )
        departures.append(machine)
        candidates.remove(machine)
        counts[machine.group] += 1
        zones[machine.group, machine.zone] -= 1
    return departures


def _refusal(machines: Sequence[Machine], number: int, bounds: Mapping[str, Bounds]) -> str:
    names = sorted(machine.name for machine in machines if machine.cordoned_by_hand)
    full = [
        f"{name} has {sizes.desired}, and keeps {sizes.minimum}" for name, sizes in sorted(bounds.items())
    ]
    by_hand = f" ({', '.join(names)} stay, as somebody cordoned them by hand)" if names else ""
    return f"{number} machines cannot go: {'; '.join(full)}{by_hand}. Ask for fewer"
