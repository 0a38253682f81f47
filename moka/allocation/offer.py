"""What a cluster offers to an allocation: machines, and what its settings say of queues."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from fractions import Fraction
from functools import cached_property

from moka.allocation.cluster import THOUSANDTHS, Cluster
from moka.allocation.cluster_settings import ClusterSettings
from moka.allocation.fleet import COUNTED, CRITICAL, HOURS, FleetCluster
from moka.queues import shares
from moka.queues.calendar import Nodes
from moka.queues.resources import Resources
from moka.queues.tree import Queue, QueueTree
from moka.usage.queue_names import queue_names


@dataclass(frozen=True, kw_only=True)
class Offer:
    """What a cluster offers.

    cluster: all its machines, counted in one of a size. zones, architectures: of them.
    settings: of its queues, of how many nodes it has when, and of what plans may do.
    """

    cluster: Cluster
    zones: tuple[str, ...] = ()
    architectures: tuple[str, ...] = ()
    settings: ClusterSettings

    @property
    def name(self) -> str:
        """In the settings."""
        return self.cluster.name

    @cached_property
    def tree(self) -> QueueTree:
        """Its queues, with the amounts that the settings have for them while there are all nodes."""
        calendar = self.settings.calendar
        tree, _ = calendar.tree(self.settings.queues, calendar.all_nodes)
        return tree

    @cached_property
    def queues(self) -> dict[str, Queue]:
        """Its leaf queues by path."""
        return dict(self.tree.leaves())

    def fleet_cluster(self, day: date, days: int = 1) -> FleetCluster:
        """The cluster in the hours of some days, in UTC, as its schedules have it: of each hour that of
        the day with most machines."""
        midnight = datetime.combine(day, time(), UTC)
        return FleetCluster(
            cluster=self.cluster,
            zones=self.zones,
            architectures=self.architectures,
            machines=tuple(
                max(self._machines(midnight + timedelta(days=number, hours=hour)) for number in range(days))
                for hour in range(HOURS)
            ),
        )

    def nodes(self, moment: datetime) -> Nodes:
        """How many nodes it may have at a moment."""
        calendar = self.settings.calendar
        return calendar.nodes(calendar.changes(moment))

    def floor(self, path: str) -> Resources:
        """What a plan leaves a queue at the least: a percentage of what the settings guarantee it."""
        stated = self.queues[path].guaranteed or Resources()
        percent = self.settings.bounds.least.get(queue_names(path).tier, 0)
        amounts = {
            name: shares.part(name, amount, percent, 100)
            for name, amount in stated.amounts()
            if name in COUNTED
        }
        return Resources(**{name: amount for name, amount in amounts.items() if amount})

    def new_floors(self, paths: Sequence[str], machines: int, least: int) -> dict[str, Resources]:
        """What queues without history get of it: so many machines each, within their maximum.

        All of them get the same part of that where there is less: they share half of what the floors of all
        queues leave of the cluster, when it has least machines. least: that it has then.
        """
        floors = [self.floor(path) for path in self.queues]
        machines_each = {path: self._machines_within(path, machines) for path in paths}
        part = Fraction(1)
        for name in COUNTED:
            asks = sum(amount.get(name) or 0 for amount in machines_each.values())
            has = (self.cluster.instance.get(name) or 0) * least * CRITICAL // THOUSANDTHS
            free = max(has - sum(floor.get(name) or 0 for floor in floors), 0) // 2
            if asks > free:
                part = min(part, Fraction(free, asks))
        return {
            path: Resources(**{name: int(amount * part) for name, amount in amounts.amounts()})
            for path, amounts in machines_each.items()
        }

    def _machines_within(self, path: str, machines: int) -> Resources:
        most = self.queues[path].maximum or Resources()
        amounts = {name: machines * (self.cluster.instance.get(name) or 0) for name in COUNTED}
        return Resources(
            **{name: min(amount, most.get(name) or self._whole(name)) for name, amount in amounts.items()}
        )

    def _whole(self, name: str) -> int:
        return self.cluster.capacity.get(name) or 0

    def _machines(self, moment: datetime) -> int:
        """One at the least, as of none nothing is shared out."""
        part = self.settings.calendar.part(self.nodes(moment))
        return max(1, int(self.cluster.instances * part))
