"""What a cluster offers to an allocation: machines, and what its settings say of queues."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property

from moka.allocation.cluster import Cluster
from moka.allocation.cluster_settings import ClusterSettings
from moka.allocation.fleet import HOURS, FleetCluster
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

    def fleet_cluster(self, day: date) -> FleetCluster:
        """The cluster in the hours of a day, in UTC, as its schedules have it."""
        midnight = datetime.combine(day, time(), UTC)
        return FleetCluster(
            cluster=self.cluster,
            zones=self.zones,
            architectures=self.architectures,
            machines=tuple(self._machines(midnight + timedelta(hours=hour)) for hour in range(HOURS)),
        )

    def nodes(self, moment: datetime) -> Nodes:
        """How many nodes it may have at a moment."""
        calendar = self.settings.calendar
        return calendar.nodes(calendar.changes(moment))

    def floor(self, path: str, machines: int = 0) -> Resources:
        """What a plan leaves a queue at the least: a percentage of what the settings guarantee it.

        machines: that it has at the least, within its maximum and half of the cluster.
        """
        queue = self.queues[path]
        stated, most = queue.guaranteed or Resources(), queue.maximum or Resources()
        percent = self.settings.bounds.least.get(queue_names(path).tier, 0)
        new = min(machines, self.cluster.instances // 2)
        amounts = {}
        for name in ("cpu", "memory"):
            amount = max(
                shares.part(name, stated.get(name) or 0, percent, 100),
                min(new * (self.cluster.instance.get(name) or 0), most.get(name) or self._whole(name)),
            )
            if amount:
                amounts[name] = amount
        return Resources(**amounts)

    def _whole(self, name: str) -> int:
        return self.cluster.capacity.get(name) or 0

    def _machines(self, moment: datetime) -> int:
        """One at the least, as of none nothing is shared out."""
        part = self.settings.calendar.part(self.nodes(moment))
        return max(1, int(self.cluster.instances * part))
