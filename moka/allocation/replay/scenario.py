"""Under what recorded runs are replayed: where workflows run, and what queues have by the hour."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from moka.allocation.fleet import HOURS, Amounts, FleetCluster, QueueHours
from moka.allocation.offer import Offer
from moka.allocation.plan import Plan
from moka.allocation.queue_amounts import AmountsOfHour, HourAmounts
from moka.allocation.queues_in_force import in_force
from moka.allocation.replay.queue_state import ENDLESS
from moka.allocation.replay.runs import RecordedRuns, Run
from moka.allocation.replay.simulator import Outcome, replay
from moka.queues.resources import Resources
from moka.queues.tree import Queue
from moka.workflows.definitions import Workflow


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """What a replay goes by.

    clusters: with their machines by the hour. queues: what each has on each cluster; one that has no entry
    is not there.
    placements: workflow -> cluster. What has none runs where it was recorded.
    """

    clusters: Sequence[FleetCluster]
    queues: Sequence[QueueHours]
    placements: Mapping[str, str]

    def outcomes(
        self, recorded: RecordedRuns, workflows: Mapping[str, Workflow], *, until: int
    ) -> Iterator[Outcome]:
        """What becomes of runs. workflows: those that are known run in the queues that they have today.

        until: milliseconds since 1970; what goes on then has no end. Runs of queues that are not there are
        left out.
        """
        paths = {(queue.cluster, queue.queue) for queue in self.queues}
        runs: dict[str, list[Run]] = defaultdict(list)
        for name, run in recorded.runs:
            placement = self.placements.get(run.workflow)
            if placement is not None and run.workflow in workflows:
                run = run.moved(workflows[run.workflow].queue)
            if (placement or name, run.queue) in paths:
                runs[placement or name].append(run)
        for cluster in self.clusters:
            yield from replay(cluster, self.queues, runs[cluster.name], until=until)


def queue_hours(plan: Plan | None, offers: Sequence[Offer], day: date) -> list[QueueHours]:
    """What the queues of clusters have with a plan, or by the settings, in the hours of a day in UTC."""
    return [queue for offer in offers for queue in _of_cluster(plan, offer, day)]


def _of_cluster(plan: Plan | None, offer: Offer, day: date) -> Iterator[QueueHours]:
    midnight = datetime.combine(day, time(), UTC)
    cache: dict[tuple[tuple[HourAmounts, ...], tuple[tuple[str, int], ...]], dict[str, Queue]] = {}
    leaves = []
    for hour in range(HOURS):
        amounts = plan.at(offer.name, hour) if plan else AmountsOfHour(hour)
        nodes = offer.nodes(midnight + timedelta(hours=hour))
        key = tuple(amounts.queues.values()), tuple(nodes.items())
        if key not in cache:
            cache[key] = dict(in_force(offer.settings, amounts, nodes).tree.leaves())
        leaves.append(cache[key])
    for path in leaves[0]:
        yield QueueHours(cluster=offer.name, queue=path, hours=tuple(_amounts(hour[path]) for hour in leaves))


def _amounts(queue: Queue) -> Amounts:
    return Amounts(
        guaranteed=queue.guaranteed or Resources(),
        maximum=queue.maximum,
        max_applications=ENDLESS if queue.max_applications is None else queue.max_applications,
    )
