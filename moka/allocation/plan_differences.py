"""What a plan changes: amounts of queues by the hour, and where workflows run."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from moka.allocation.cluster_settings import ClusterSettings
from moka.allocation.plan import Plan
from moka.allocation.queue_amounts import HOURS, AmountsOfHour
from moka.allocation.queues_in_force import in_force
from moka.queues.resources import RESOURCES, quantity
from moka.queues.tree import Queue

JOBS = "jobs"
"""Of what there may be at most, besides resources."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """What a queue has otherwise.

    bound: `guaranteed` or `maximum`, and `jobs` of applications. resource: one, or `jobs`.
    before, after: in each hour of the day; None where nothing is stated.
    """

    cluster: str
    queue: str
    bound: str
    resource: str
    before: tuple[int | None, ...]
    after: tuple[int | None, ...]

    def __str__(self) -> str:
        name = "jobs at a time" if self.resource == JOBS else f"{self.bound} {self.resource}"
        was, will = (_span(self.resource, amounts) for amounts in (self.before, self.after))
        hours = " by the hour" if was == will else ""
        return f"{self.queue} on {self.cluster}: {name} {will} instead of {was}{hours}."


@dataclass(frozen=True)
class Move:
    """A workflow that goes elsewhere. before, after: a cluster; None where it goes where it fits."""

    workflow: str
    before: str | None
    after: str | None

    def __str__(self) -> str:
        was, will = (f"to {cluster}" if cluster else "where it fits" for cluster in (self.before, self.after))
        return f"{self.workflow} goes {will} instead of {was}."


def changes(
    before: Plan | None, after: Plan | None, clusters: Mapping[str, ClusterSettings]
) -> Iterator[Change]:
    """What queues have otherwise with one plan than with another; None for the settings by themselves."""
    names = {name for plan in (before, after) if plan for name in plan.clusters}
    for name in sorted(names & set(clusters)):
        old, new = (by_hour(plan, name, clusters[name]) for plan in (before, after))
        for path in sorted(old):
            for (bound, resource), amounts in old[path].items():
                if amounts != (others := new[path][bound, resource]):
                    yield Change(
                        cluster=name, queue=path, bound=bound, resource=resource, before=amounts, after=others
                    )


def moves(before: Plan | None, after: Plan | None) -> Iterator[Move]:
    """The workflows that one plan sends to another cluster than another."""
    old, new = (plan.routes if plan else {} for plan in (before, after))
    for workflow in sorted({*old, *new}):
        was, will = (routes[workflow].cluster if workflow in routes else None for routes in (old, new))
        if was != will:
            yield Move(workflow, was, will)


Hours = Mapping[tuple[str, str], tuple[int | None, ...]]
"""What is bounded, and its resource -> amounts in each hour of the day."""


def by_hour(plan: Plan | None, cluster: str, settings: ClusterSettings) -> dict[str, Hours]:
    """Queue -> what it has in each hour, with all nodes."""
    amounts = [plan.at(cluster, hour) if plan else AmountsOfHour(hour) for hour in range(HOURS)]
    leaves_by_amounts: dict[tuple[object, ...], dict[str, Queue]] = {}
    leaves = []
    for amounts_of_hour in amounts:
        key = tuple(amounts_of_hour.queues.values())
        if key not in leaves_by_amounts:
            leaves_by_amounts[key] = dict(
                in_force(settings, amounts_of_hour, settings.calendar.all_nodes).tree.leaves()
            )
        leaves.append(leaves_by_amounts[key])
    return {
        path: {
            **{
                (bound, resource): tuple(_amount(hour[path], bound, resource) for hour in leaves)
                for bound in ("guaranteed", "maximum")
                for resource in RESOURCES
            },
            (JOBS, JOBS): tuple(hour[path].max_applications for hour in leaves),
        }
        for path in leaves[0]
    }


def _amount(queue: Queue, bound: str, resource: str) -> int | None:
    resources = queue.guaranteed if bound == "guaranteed" else queue.maximum
    return resources.get(resource) if resources else None


def _span(resource: str, amounts: tuple[int | None, ...]) -> str:
    """Amounts of a day: one where they are the same, or the least and the most."""
    present = sorted({amount or 0 for amount in amounts})
    texts = [quantity(resource, amount) if amount else "none" for amount in (present[0], present[-1])]
    return " to ".join(dict.fromkeys(texts))
