"""Which limits keep a plan of a fleet from being better, a sentence each."""

from collections.abc import Iterator, Mapping

from moka.allocation.cluster import THOUSANDTHS
from moka.allocation.fleet import COUNTED, CRITICAL, HOURS, Fleet, FleetCluster, QueueHours
from moka.allocation.fleet_loads import amounts_of_queues
from moka.queues.resources import Resources, total

CLOSE = 990
"""Thousandths of a limit from which it binds."""


def binding(fleet: Fleet, placements: Mapping[str, str], queues: tuple[QueueHours, ...]) -> tuple[str, ...]:
    """Limits that bind."""
    return (
        *(remark for cluster in fleet.clusters for remark in _full(cluster, queues)),
        *_fullest(fleet, placements),
        *_bounds(fleet, placements),
        *_moves(fleet, placements),
    )


def _full(cluster: FleetCluster, queues: tuple[QueueHours, ...]) -> Iterator[str]:
    """Hours in which a cluster has nothing left to guarantee."""
    own = [queue for queue in queues if queue.cluster == cluster.name]
    critical = [queue for queue in own if queue.tier < 3]
    for group, part, reason in (
        (critical, CRITICAL, "tiers 1 and 2 are guaranteed 90% of it, as much as they may"),
        (own, THOUSANDTHS, "all of it is guaranteed"),
    ):
        for name in COUNTED:
            hours = [
                hour
                for hour in range(HOURS)
                if (total(queue.hours[hour].guaranteed for queue in group).get(name) or 0)
                * THOUSANDTHS
                * 1000
                >= (cluster.capacity(hour).get(name) or 0) * part * CLOSE
            ]
            if hours:
                yield f"{cluster.name} has no more {name} at {_hours(hours)}: {reason}."


def _fullest(fleet: Fleet, placements: Mapping[str, str]) -> Iterator[str]:
    """The cluster and hour that set the peak."""
    demands = amounts_of_queues(fleet, placements)
    loads = []
    for cluster in fleet.clusters:
        own = [hours for (name, _), hours in demands.items() if name == cluster.name]
        for hour in range(HOURS):
            demand, capacity = total(hours[hour] for hours in own), cluster.capacity(hour)
            loads += [
                ((demand.get(name) or 0) / (capacity.get(name) or 1), cluster.name, hour, name)
                for name in COUNTED
            ]
    load, fullest, hour, resource = max(loads, key=lambda entry: entry[0])
    if load:
        yield f"{fullest} is the fullest at {hour:02}:00: {load:.1%} of its {resource} is asked for."


def _bounds(fleet: Fleet, placements: Mapping[str, str]) -> Iterator[str]:
    """Floors and ceilings that change what queues get."""
    demands = amounts_of_queues(fleet, placements)
    nothing = [Resources()] * HOURS
    for effect, attribute, differs in (
        ("floors keep for them what they do not ask", "floors", int.__lt__),
        ("ceilings keep from them what they ask", "ceilings", int.__gt__),
    ):
        number = sum(
            any(
                differs(hour.get(name) or 0, amount)
                for hour in demands.get((cluster, queue.path), nothing)
                for name, amount in bound.amounts()
                if name in COUNTED
            )
            for queue in fleet.queues
            for cluster, bound in getattr(queue, attribute).items()
        )
        if number:
            yield f"Of {number} queue{'s' if number > 1 else ''}, the {effect}."


def _moves(fleet: Fleet, placements: Mapping[str, str]) -> Iterator[str]:
    moves = sum(placements[workflow.name] != workflow.home for workflow in fleet.workflows)
    if moves and moves == fleet.max_moves:
        yield f"{moves} workflows move, as many as may."
    if single := sum(len(fleet.choices(workflow)) == 1 for workflow in fleet.workflows):
        yield f"{single} of {len(fleet.workflows)} workflows can run on one cluster only."


def _hours(hours: list[int]) -> str:
    return ", ".join(f"{hour:02}:00" for hour in hours)
