"""What is wrong with a plan for the clusters that there are, before anything of it is in force."""

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime, timedelta

from moka.allocation.cluster_settings import ClusterSettings
from moka.allocation.plan import Plan, PlannedCluster
from moka.allocation.plan_slos import MOST_NAMES, losses
from moka.allocation.queue_amounts import HOURS, AmountsOfHour, QueueAmounts, at_hour, of_hour
from moka.allocation.queues_in_force import in_force
from moka.mistakes import Mistake, comma_list
from moka.queues.problems import problems
from moka.queues.resources import Resources

Clusters = Mapping[str, ClusterSettings]
"""Clusters by name, as they said what their settings have."""

FRESH = timedelta(days=1)
"""For so long nobody has to look at a plan before it takes effect by itself."""

A_PERSON = "so a person has to apply it: `moka plan apply`"


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
    plan: Plan, before: Mapping[str, QueueAmounts], clusters: Clusters, moves: Collection[str], now: datetime
) -> Iterator[Mistake]:
    """Why a plan that nobody has looked at waits for somebody.

    before: cluster -> what is in force. moves: workflows that it sends elsewhere. Once for all clusters where
    it is of the environment.
    """
    if now - plan.moment > FRESH:
        yield Mistake("made", f"is {plan.made}, more than a day ago, {A_PERSON}, or make it anew")
    # They are those of the environment, so the same for all; while one is behind, both.
    for bounds in {
        settings.bounds.model_dump_json(): settings.bounds for settings in clusters.values()
    }.values():
        if not bounds.by_itself:
            yield Mistake("allocation.by_itself", f"is false in the settings, {A_PERSON}")
            return
        if len(moves) > bounds.most_moves:
            yield Mistake(
                "routes",
                f"send {len(moves)} workflows somewhere else, more than the {bounds.most_moves} of "
                "`most_moves` in the settings",
            )
    if lost := [name for name in losses(plan) if plan.slos[name].tier == 1]:
        yield Mistake(
            "slos",
            f"say that tier 1 would lose SLOs that it keeps now ({comma_list(lost[:MOST_NAMES])}), "
            f"{A_PERSON}",
        )
    for name, settings in clusters.items():
        yield from _changes(name, plan, before.get(name), settings)


def _strangers(plan: Plan, clusters: Clusters) -> Iterator[Mistake]:
    for name in plan.clusters:
        if name not in clusters:
            yield Mistake(
                f"clusters.{name}",
                f"has not reported its queues to Archer; the clusters that have are {comma_list(clusters)}",
            )


def _routes(plan: Plan, clusters: Clusters) -> Iterator[Mistake]:
    for workflow, route in plan.routes.items():
        at = f"routes.{workflow}"
        if route.cluster not in clusters:
            yield Mistake(
                f"{at}.cluster",
                f"is {route.cluster!r}, which has not reported its queues to Archer; the clusters that have "
                f"are {comma_list(clusters)}",
            )
        elif route.queue is not None:
            organization, _, project = route.queue.partition(".")
            organizations = clusters[route.cluster].queues.organizations
            if organization not in organizations or project not in organizations[organization].projects:
                yield Mistake(
                    f"{at}.queue",
                    f"is {route.queue!r}, but {route.cluster} has no queues of it; correct the queue, or "
                    "add it to the settings",
                )


def _amounts(name: str, planned: PlannedCluster, settings: ClusterSettings) -> Iterator[Mistake]:
    """What the settings do not leave to a plan, and what no scheduler would take, once for all its hours."""
    reported: set[str] = set()
    nodes = settings.calendar.all_nodes
    for hours, amounts in _different_hours(planned):
        merged = in_force(settings, amounts, nodes)
        findings = [
            *((mistake.at, mistake.says) for mistake in merged.says),
            # What is lowered is no problem any more; this is what it does not help.
            *(
                (f"{problem.path}.{problem.at}".rstrip("."), problem.says)
                for problem in problems(merged.tree)
            ),
        ]
        for at, sentence in findings:
            if at not in reported:
                reported.add(at)
                yield Mistake(f"clusters.{name}.queues.{at}", f"{sentence}{hours}")


def _different_hours(planned: PlannedCluster) -> Iterator[tuple[str, AmountsOfHour]]:
    """The amounts of each hour, those that are equal once; and how a message names the hour."""
    keys = set()
    for hour in range(HOURS):
        amounts = of_hour(planned.queues, hour, planned.settings)
        if (key := tuple(amounts.queues.values())) not in keys:
            keys.add(key)
            # The first that is wrong is named; without a plan by the hour there is only one.
            yield f" (in the hour from {hour}:00)" if hour else "", amounts


def _changes(
    name: str, plan: Plan, before: QueueAmounts | None, settings: ClusterSettings
) -> Iterator[Mistake]:
    most, nodes = settings.bounds.most_change, settings.calendar.all_nodes
    reported: set[str] = set()
    keys = set()
    for hour in range(HOURS):
        pair = at_hour(before, hour), plan.at(name, hour)
        if (key := tuple(tuple(amounts.queues.items()) for amounts in pair)) in keys:
            continue
        keys.add(key)
        old, new = (dict(in_force(settings, amounts, nodes).tree.leaves()) for amounts in pair)
        for path in new:
            jobs, then_jobs = old[path].max_applications, new[path].max_applications
            if path not in reported and _far_fewer(jobs, then_jobs, most):
                reported.add(path)
                yield Mistake(
                    f"clusters.{name}.queues.{path}",
                    f"has {then_jobs} jobs at a time in place of {jobs or 'any number'}, fewer by more than "
                    f"the {most}% of `most_change` in the settings",
                )
            was, will = (dict((leaves[path].guaranteed or Resources()).amounts()) for leaves in (old, new))
            for resource in sorted({*was, *will}):
                first, then = was.get(resource, 0), will.get(resource, 0)
                if path not in reported and abs(then - first) * 100 > most * first:
                    reported.add(path)
                    by = f"by {abs(then - first) * 100 // first}%" if first else "from nothing"
                    yield Mistake(
                        f"clusters.{name}.queues.{path}",
                        f"changes its guaranteed {resource} {by}, more than the {most}% of `most_change` in "
                        "the settings",
                    )


def _far_fewer(jobs: int | None, then: int | None, percent: int) -> bool:
    """Whether a queue may run fewer jobs at a time, by more than a percentage; None is any number."""
    return then is not None and (jobs is None or (jobs - then) * 100 > percent * jobs)
