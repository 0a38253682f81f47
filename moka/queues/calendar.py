"""What a cluster has for its queues as time goes by: schedules change how many nodes it may have.

A change of a group holds from its time to the next time of any change of that group, as a scheduled action of
Auto Scaling does. Times are those of a time zone, summer time included
(https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-scheduled-scaling.html). What AWS does
at a time that the clocks leave out, it does not say; here it is when they go on, as cron has it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from functools import lru_cache
from itertools import islice, takewhile
from typing import Annotated
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError
from pydantic import AfterValidator, Field

from moka.documents import Count, Cpu, Memory, Name, Section
from moka.machines.profiles import NodeOrder
from moka.mistakes import Mistake
from moka.queues import definitions, shares
from moka.queues.definitions import Queues
from moka.queues.resolution import resolve, to_resources
from moka.queues.resources import Resources
from moka.queues.tree import QueueTree

CLOCK_CHANGE = timedelta(hours=3)
"""More than clocks are ever put forward or back."""

YEAR = timedelta(days=366)

MOST_TIMES = 1_000
"""Of a change, that are looked at in a year: those of one at every hour repeat themselves long before."""

Nodes = Mapping[str, int]
"""Node group -> how many nodes it may have."""


def _cron(expression: str) -> str:
    try:
        CronSim(expression, datetime.now(UTC))
    except CronSimError:
        raise ValueError("that is no cron expression, or its time never comes") from None
    return expression


def is_time_zone(name: str) -> bool:
    """Whether there is a time zone of this name."""
    try:
        ZoneInfo(name)
    except (KeyError, OSError, ValueError):
        return False
    return True


def _time_zone(name: str) -> str:
    if not is_time_zone(name):
        raise ValueError("there is no such time zone")
    return name


class Change(Section):
    """A change of how many nodes a group may have, at fixed times."""

    cron: Annotated[str, AfterValidator(_cron)] = Field(description="When, as a cron expression.")
    maximum: Count = Field(description="Nodes from then on.")


class JobNodes(Section):
    """A node group for drivers or executors."""

    maximum: Count = Field(description="The most nodes that it ever has.")
    cpu: Cpu | None = Field(
        default=None, description="Of a node; null if the name of its instance type does not say."
    )
    memory: Memory | None = Field(default=None, description="Of a node, in the same way.")
    gpus: bool = Field(default=False, description="Whether its nodes have GPUs.")
    time_zone: Annotated[str, AfterValidator(_time_zone)] = Field(
        default="Etc/UTC", description="Of the changes."
    )
    changes: dict[Name, Change] = Field(default_factory=dict, description="Changes, by name.")

    @property
    def node(self) -> Resources:
        """What a node has, as far as it is known; of GPUs, whether it has any."""
        return replace(Resources.of(cpu=self.cpu, memory=self.memory), gpu=int(self.gpus))

    def latest(self, moment: datetime) -> str | None:
        """Name of the change that holds at a moment; None without changes, or before the first."""
        times = {
            name: time
            for name, change in self.changes.items()
            if (time := last_time(change.cron, self.time_zone, moment)) is not None
        }
        # Of several at one time, the one that promises the least.
        return max(times, key=lambda name: (times[name], -self.changes[name].maximum), default=None)


class Calendar(Section):
    """What the queues of a cluster are shares of, and when that changes."""

    capacity: definitions.Resources | None = Field(
        default=None, description="What weights and percentages are shares of while there are all nodes."
    )
    node_order: NodeOrder = Field(description="Order of nodes for pods of jobs.")
    node_groups: dict[Name, JobNodes] = Field(description="Node groups for drivers and executors, by name.")

    @property
    def all_nodes(self) -> Nodes:
        """Every group at its largest: what the settings state is for this."""
        return {name: group.maximum for name, group in self.node_groups.items()}

    @property
    def scheduled(self) -> bool:
        """Whether any group has changes."""
        return any(group.changes for group in self.node_groups.values())

    def changes(self, moment: datetime) -> dict[str, str]:
        """Node group -> name of its change that holds at a moment."""
        latest = {name: group.latest(moment) for name, group in self.node_groups.items()}
        return {name: change for name, change in latest.items() if change is not None}

    def nodes(self, changes: Mapping[str, str]) -> Nodes:
        """How many nodes there may be where these changes hold."""
        return {
            name: group.changes[changes[name]].maximum if name in changes else group.maximum
            for name, group in self.node_groups.items()
        }

    def amounts(self, nodes: Nodes) -> Resources:
        """What so many nodes have; None of what the names of their types do not tell."""
        parts = [(self.node_groups[name].node, count) for name, count in nodes.items()]
        totals: dict[str, int | None] = {}
        for resource in ("cpu", "memory"):
            of_groups = [(node.get(resource), count) for node, count in parts]
            amounts = [amount * count for amount, count in of_groups if amount is not None]
            totals[resource] = sum(amounts) if len(amounts) == len(of_groups) else None
        return Resources(**totals)

    def capacity_of(self, nodes: Nodes) -> Resources | None:
        """What is left of the stated capacity with so many nodes; None where none is stated.

        In proportion to what nodes for drivers and executors have: drivers keep theirs.
        """
        stated = to_resources(self.capacity)
        if stated is None:
            return None
        if nodes == self.all_nodes:
            return stated
        return Resources(
            **{
                name: shares.part(name, amount, *self._share(name, nodes))
                for name, amount in stated.amounts()
            }
        )

    def part(self, nodes: Nodes) -> Fraction:
        """Which part of what all nodes have so many have, of the resource of which they have least."""
        return min(Fraction(*self._share(name, nodes)) for name in ("cpu", "memory"))

    def tree(self, queues: Queues, nodes: Nodes) -> tuple[QueueTree, list[Mistake]]:
        """The queues while there are so many nodes, and mistakes in what cannot be turned into amounts."""
        tree, mistakes = resolve(queues, self.capacity_of(nodes))
        return replace(tree, node_order=self.node_order), mistakes

    def states(self, start: datetime) -> Iterator[dict[str, str]]:
        """All that holds at some time of a year, each once: node group -> its change."""
        changes = self.changes(start)
        yield dict(changes)
        keys = {tuple(sorted(changes.items()))}
        times = sorted(
            (time, -change.maximum, group_name, name)
            for group_name, group in self.node_groups.items()
            for name, change in group.changes.items()
            for time in _times(change.cron, group.time_zone, start)
        )
        for index, (time, _, group_name, name) in enumerate(times):
            changes[group_name] = name
            more = index + 1 < len(times) and times[index + 1][0] == time
            if not more and (state := tuple(sorted(changes.items()))) not in keys:
                keys.add(state)
                yield dict(changes)

    def _share(self, resource: str, nodes: Nodes) -> tuple[int, int]:
        """What so many nodes have of a resource, and what all have."""
        units = {name: group.node.get(resource) for name, group in self.node_groups.items()}
        weights = {name: unit for name, unit in units.items() if unit is not None}
        if len(weights) < len(units):
            weights = dict.fromkeys(units, 1)
        have, full = (
            sum(weights[name] * count for name, count in of.items()) for of in (nodes, self.all_nodes)
        )
        return (have, full) if full else (1, 1)


def last_time(cron: str, time_zone: str, moment: datetime) -> datetime | None:
    """The last time of a cron expression that is not after a moment; None where there is none in 50 years."""
    # From later on, as clocks that are put back have times twice, and those of cron in order are not.
    start = (moment + CLOCK_CHANGE).astimezone(ZoneInfo(time_zone))
    times = (time.astimezone(UTC) for time in CronSim(cron, start, reverse=True))
    return next((time for time in times if time <= moment), None)


@lru_cache(maxsize=1024)
def _times(cron: str, time_zone: str, start: datetime) -> tuple[datetime, ...]:
    """The times of a cron expression in the year after a moment."""
    times = (time.astimezone(UTC) for time in CronSim(cron, start.astimezone(ZoneInfo(time_zone))))
    return tuple(takewhile(lambda time: time < start + YEAR, islice(times, MOST_TIMES)))
