"""What is wrong with a plan for the clusters that there are, before anything of it is in force."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from moka.allocation.cluster_settings import ClusterSettings
from moka.allocation.plan import Plan, PlannedCluster
from moka.allocation.queue_amounts import HOURS, AmountsOfHour, of_hour
from moka.allocation.queues_in_force import in_force
from moka.mistakes import Mistake, listed
from moka.queues.problems import problems

Clusters = Mapping[str, ClusterSettings]
"""Clusters by name, as they said what their settings have."""


def mistakes(plan: Plan, clusters: Clusters) -> list[Mistake]:
    """Why a plan cannot take effect: other clusters or settings, or amounts beyond what these leave to it."""
    return [
        *_strangers(plan, clusters),
        *other_settings(plan, clusters),
        *_routes(plan, clusters),
        *(
            mistake
            for name, planned in plan.clusters.items()
            if name in clusters
            for mistake in _amounts(name, planned, clusters[name])
        ),
    ]


def other_settings(plan: Plan, clusters: Clusters) -> Iterator[Mistake]:
    """Clusters whose settings have other queues than those for which a plan was made."""
    for name, planned in plan.clusters.items():
        if name in clusters and planned.settings != clusters[name].digest:
            yield Mistake(
                f"clusters.{name}.settings",
                "is of other queues than the settings of this cluster have now; make the plan anew",
            )


def beyond(
    plan: Plan, before: Mapping[str, Sequence[AmountsOfHour]], clusters: Clusters, moves: Collection[str]
) -> Iterator[Mistake]:
    """Why a plan waits for a person: what it changes more than the settings let a plan by itself.

    before: cluster -> what was in force in each hour of the day. moves: workflows that it sends elsewhere.
    """
    for name, planned in plan.clusters.items():
        settings = clusters[name]
        if not settings.bounds.by_itself:
            yield Mistake("allocation.by_itself", "is false in the settings, so that a person applies plans")
            return
        if len(moves) > settings.bounds.most_moves:
            yield Mistake(
                "routes",
                f"send {len(moves)} workflows somewhere else, more than the {settings.bounds.most_moves} of "
                "`most_moves` in the settings",
            )
            return
        yield from _changes(name, planned, before.get(name, ()), settings)


def _strangers(plan: Plan, clusters: Clusters) -> Iterator[Mistake]:
    for name in plan.clusters:
        if name not in clusters:
            yield Mistake(
                f"clusters.{name}",
                f"is none that has said what queues it has; those that have are {listed(clusters)}",
            )


def _routes(plan: Plan, clusters: Clusters) -> Iterator[Mistake]:
    for workflow, route in plan.routes.items():
        at = f"routes.{workflow}"
        if route.cluster not in clusters:
            yield Mistake(
                f"{at}.cluster",
                f"is {route.cluster!r}, which has not said what queues it has; those that have are "
                f"{listed(clusters)}",
            )
        elif route.queue is not None:
            organization, _, project = route.queue.partition(".")
            organizations = clusters[route.cluster].queues.organizations
            if organization not in organizations or project not in organizations[organization].projects:
                yield Mistake(f"{at}.queue", f"is {route.queue!r}, of which {route.cluster} has no queues")


def _amounts(name: str, planned: PlannedCluster, settings: ClusterSettings) -> Iterator[Mistake]:
    """What the settings do not leave to a plan, and what no scheduler would take, once for all its hours."""
    told: set[str] = set()
    nodes = settings.calendar.all_nodes
    for hours, amounts in _different_hours(planned):
        merged = in_force(settings, amounts, nodes)
        found = [
            *((says.at, says.says) for says in merged.says),
            # What is lowered is no problem any more; this is what it does not help.
            *((f"{one.path}.{one.at}".rstrip("."), one.says) for one in problems(merged.tree)),
        ]
        for at, says in found:
            if at not in told:
                told.add(at)
                yield Mistake(f"clusters.{name}.queues.{at}", f"{says}{hours}")


def _different_hours(planned: PlannedCluster) -> Iterator[tuple[str, AmountsOfHour]]:
    """The amounts of each hour, those that are equal once; and how a message names the hour."""
    seen = set()
    for hour in range(HOURS):
        amounts = of_hour(planned.queues, hour, planned.settings)
        if (key := tuple(amounts.queues.values())) not in seen:
            seen.add(key)
            # The first that is wrong is named; without a plan by the hour there is only one.
            yield f" (in the hour from {hour}:00)" if hour else "", amounts


def _changes(
    name: str, planned: PlannedCluster, before: Sequence[AmountsOfHour], settings: ClusterSettings
) -> Iterator[Mistake]:
    most, nodes = settings.bounds.most_change, settings.calendar.all_nodes
    told: set[str] = set()
    for hour in range(HOURS):
        old_amounts = before[hour] if before else AmountsOfHour(hour)
        old, new = (
            {path: queue.guaranteed for path, queue in in_force(settings, amounts, nodes).tree.leaves()}
            for amounts in (old_amounts, of_hour(planned.queues, hour, planned.settings))
        )
        for path in new:
            amounts_before, amounts_after = (
                dict(one[path].amounts()) if one[path] else {} for one in (old, new)
            )
            for resource in sorted({*amounts_before, *amounts_after}):
                was, will = amounts_before.get(resource, 0), amounts_after.get(resource, 0)
                if path not in told and abs(will - was) * 100 > most * was:
                    told.add(path)
                    by = f"by {abs(will - was) * 100 // was}%" if was else "from nothing"
                    yield Mistake(
                        f"clusters.{name}.queues.{path}",
                        f"changes its guaranteed {resource} {by}, more than the {most}% of `most_change` in "
                        "the settings",
                    )
