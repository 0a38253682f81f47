"""A fleet made of what its workflows used, and of what its clusters offer."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from moka.allocation.answers import Row, needs
from moka.allocation.cluster import THOUSANDTHS
from moka.allocation.fleet import HOURS, Fleet, FleetQueue, FleetWorkflow
from moka.allocation.offer import Offer
from moka.allocation.plan import Plan
from moka.allocation.queue_parts import Bounds, QueueParts, most
from moka.allocation.rules import Rules
from moka.mistakes import comma_list, counted
from moka.queues.resources import Resources
from moka.usage.queue_names import queue_names
from moka.workflows.definitions import Workflow

WEEK = 7
"""Days whose machines count: a plan holds until the next one, and schedules have other days."""

MOST_NAMES = 5
"""In a sentence."""


@dataclass(frozen=True, kw_only=True)
class History:
    """What the history answered: rows of the questions `demands` and `needs`."""

    demands: Sequence[Row]
    needs: Sequence[Row]


@dataclass(frozen=True)
class KnownFleet:
    """A fleet, and what is to be known of it, a sentence each."""

    fleet: Fleet
    says: tuple[str, ...]


def fleet_of(
    offers: Sequence[Offer],
    workflows: Mapping[str, Workflow],
    routes: Mapping[str, str],
    history: History,
    *,
    day: date,
    max_moves: int,
    fixed: Collection[str] = (),
    in_force: Plan | None = None,
    rules: Rules | None = None,
) -> KnownFleet:
    """The fleet on a day.

    routes: workflow -> the cluster to which it goes now, where that is not its home. fixed: those that stay
    there. day: whose hours count, as clusters have schedules. in_force: the plan that is; None for the
    settings by themselves. Runs that no known workflow has stay where they were.
    Raises InvalidFleet.
    """
    rules = rules or Rules()
    offers_by_name = {offer.name: offer for offer in offers}
    paths = sorted({path for offer in offers for path in offer.queues})
    demand = _Demand(history, offers_by_name, workflows, _bounds(offers, in_force), rules)
    placed, sentences = _placements(workflows, routes, offers_by_name, set(paths))
    own = [demand.of(name, *where, pinned=name in fixed) for name, where in placed.items()]
    others, strangers = demand.others(placed.keys(), paths)
    used = {workflow.queue for workflow in [*own, *others] if any(workflow.applications)}
    new = [path for path in paths if path not in used]
    clusters = {offer.name: offer.fleet_cluster(day, WEEK) for offer in offers}
    new_floors = {
        offer.name: offer.new_floors(
            [path for path in new if path in offer.queues],
            rules.new_machines,
            min(map(clusters[offer.name].instances, range(HOURS))),
        )
        for offer in offers
    }
    fleet = Fleet(
        clusters=tuple(clusters.values()),
        queues=tuple(_queue(path, offers_by_name, new_floors) for path in paths),
        workflows=tuple(workflow for workflow in [*own, *others] if any(workflow.applications)),
        max_moves=max_moves,
        headroom=rules.headroom,
    )
    if new:
        machines = counted(rules.new_machines, "machine")
        sentences.append(
            f"Queues that used nothing keep {machines} of each cluster, or a part where it is small: "
            f"{_few(new)}."
        )
    idle = [workflow.name for workflow in own if not any(workflow.applications)]
    if idle:
        sentences.append(
            f"Of {len(idle)} workflows there are no runs, so nothing is kept for them: {_few(idle)}."
        )
    if strangers:
        sentences.append(f"What ran in queues that there are no more does not count: {_few(strangers)}.")
    if demand.full:
        sentences.append(
            "Queues ran as many jobs at a time as they may, so how many they need is an estimate: "
            f"{_few(demand.full)}."
        )
    if others:
        sentences.append(
            f"{len(others)} kinds of runs are of no workflow that is known: they stay where they were."
        )
    return KnownFleet(fleet, tuple(sentences))


def _placements(
    workflows: Mapping[str, Workflow], routes: Mapping[str, str], offers: Mapping[str, Offer], paths: set[str]
) -> tuple[dict[str, tuple[Workflow, str]], list[str]]:
    """The workflows that can be placed, with where they run; what is wrong with the others."""
    placed: dict[str, tuple[Workflow, str]] = {}
    lost, elsewhere = [], []
    for name, workflow in sorted(workflows.items()):
        home = routes.get(name, workflow.cluster)
        if workflow.queue not in paths:
            lost.append(name)
        elif home not in offers:
            elsewhere.append(name)
        else:
            placed[name] = workflow, home
    sentences = []
    if lost:
        sentences.append(f"Workflows whose queue is not in the settings are left out: {_few(lost)}.")
    if elsewhere:
        sentences.append(
            f"Workflows whose home is no cluster of the settings are left out: {_few(elsewhere)}."
        )
    return placed, sentences


def _queue(
    path: str, offers: Mapping[str, Offer], new_floors: Mapping[str, Mapping[str, Resources]]
) -> FleetQueue:
    """A queue. new_floors: cluster -> queue without history -> what it has at the least."""
    having = {name: offer for name, offer in offers.items() if path in offer.queues}
    floors = {
        name: most(offer.floor(path), new_floors[name].get(path, Resources()))
        for name, offer in having.items()
    }
    return FleetQueue(
        path=path,
        floors={
            name: floor for name, floor in floors.items() if any(amount for _, amount in floor.amounts())
        },
        ceilings={
            name: maximum
            for name, offer in having.items()
            if (maximum := offer.queues[path].maximum) is not None
        },
    )


def _bounds(offers: Sequence[Offer], plan: Plan | None) -> Bounds:
    """How many applications queues may run at a time, by the hour: as the settings have it, or the plan where
    that is fewer, as the history may have days of either."""
    bounds = {}
    for offer in offers:
        planned = [plan.at(offer.name, hour).queues if plan else {} for hour in range(HOURS)]
        for path, queue in offer.queues.items():
            by_hour = (queues[path].max_applications if path in queues else None for queues in planned)
            bounds[offer.name, path] = [_fewer(queue.max_applications, number) for number in by_hour]
    return bounds


def _fewer(first: int | None, second: int | None) -> int | None:
    return min((number for number in (first, second) if number is not None), default=None)


class _Hours(NamedTuple):
    """What a workflow asks for, by hour: as FleetWorkflow has it."""

    demand: tuple[Resources, ...]
    elsewhere: tuple[Resources, ...]
    applications: tuple[int, ...]
    coincident: tuple[int, ...]


class _Demand:
    """What workflows ask for, by hour."""

    def __init__(
        self,
        history: History,
        offers: Mapping[str, Offer],
        workflows: Mapping[str, Workflow],
        bounds: Bounds,
        rules: Rules,
    ) -> None:
        self._offers = offers
        self._rules = rules
        self._rows: dict[str, list[Row]] = defaultdict(list)
        for row in history.demands:
            if row["cluster"] in offers and row["workflow"] is not None:
                self._rows[row["workflow"]].append(row)
        self._needs: dict[str, Resources] = {}
        for name, offer in offers.items():
            for need in needs(history.needs, name, workflows):
                size = offer.cluster.instance
                amount = Resources(
                    cpu=need.machines * (size.cpu or 0) // THOUSANDTHS,
                    memory=need.machines * (size.memory or 0) // THOUSANDTHS,
                )
                self._needs[need.workflow] = most(self._needs.get(need.workflow, Resources()), amount)
        self._parts = QueueParts(history.demands, self._needs, bounds)
        self.full = [f"{queue} on {cluster}" for cluster, queue in sorted(self._parts.full)]
        """Queues that ran as many applications at a time as they may."""

    def of(self, name: str, workflow: Workflow, home: str, *, pinned: bool) -> FleetWorkflow:
        """A workflow that is known; if it ran on several clusters, the most that it asked of one counts."""
        rows = self._rows.get(name, ())
        hours = self._hours(rows, workflow.tier, self._needs.get(name, Resources()))
        if not any(row["cluster"] == home for row in rows):
            # Nobody knows how it runs beside others there.
            hours = hours._replace(demand=hours.elsewhere, coincident=())
        return FleetWorkflow(
            name=name,
            queue=workflow.queue,
            home=home,
            **hours._asdict(),
            slo_hours=workflow.slo_hours,
            pinned=pinned,
        )

    def others(self, names: Iterable[str], paths: Sequence[str]) -> tuple[list[FleetWorkflow], list[str]]:
        """Runs of other workflows, or of none, by cluster and queue; and queues that there are no more."""
        by_place: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
        strangers = set()
        for name in self._rows.keys() - set(names):
            for row in self._rows[name]:
                if row["queue"] in self._offers[row["cluster"]].queues:
                    by_place[name, row["cluster"], row["queue"]].append(row)
                else:
                    strangers.add(row["queue"])
        result = []
        for (name, cluster, queue), rows in sorted(by_place.items()):
            hours = self._hours(rows, queue_names(queue).tier, Resources())
            result.append(
                FleetWorkflow(
                    name=f"{name or 'runs of no workflow'} in {queue} on {cluster}",
                    queue=queue,
                    home=cluster,
                    **hours._asdict(),
                    pinned=True,
                )
            )
        return result, sorted(strangers)

    def _hours(self, rows: Iterable[Row], tier: int, need: Resources) -> _Hours:
        """need: of its SLO, of which it takes no less to another cluster."""
        demand = [Resources(cpu=0, memory=0)] * HOURS
        applications, coincident = [0] * HOURS, [0] * HOURS
        for row in _covering_rows(rows, self._rules.thresholds[tier].most):  # type: ignore[index]
            hour, part = row["hour"], self._parts.of(row)
            demand[hour] = most(demand[hour], part.demand)
            applications[hour] = max(applications[hour], row["applications"])
            coincident[hour] = max(coincident[hour], part.applications)
        elsewhere = [
            most(amount, need) if runs else amount for amount, runs in zip(demand, applications, strict=True)
        ]
        return _Hours(tuple(demand), tuple(elsewhere), tuple(applications), tuple(coincident))


def _covering_rows(rows: Iterable[Row], percent: int) -> Iterator[Row]:
    """Of each place and hour, the row of the smallest share that is enough, or of the largest there is."""
    best: dict[tuple[str, str, int], Row] = {}
    for row in sorted(rows, key=lambda row: row["share"]):
        key = row["cluster"], row["queue"], row["hour"]
        if key not in best or best[key]["share"] < percent:
            best[key] = row
    yield from best.values()


def _few(names: Sequence[str]) -> str:
    shown = comma_list(names[:MOST_NAMES])
    return shown if len(names) <= MOST_NAMES else f"{shown} and {len(names) - MOST_NAMES} more"
