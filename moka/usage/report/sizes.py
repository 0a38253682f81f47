"""What clusters, machines and queues have: what a report holds use against."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from moka.quantities import MIB
from moka.queues.resources import Resources
from moka.queues.tree import Queue

MIB_A_GIB = 1024
MILLIS_A_CORE = 1000


@dataclass(frozen=True, kw_only=True)
class Amount:
    """So much of each resource, or so much times hours.

    instances: machines of the cluster, by the resource of which it takes most.
    """

    instances: float = 0.0
    vcores: float = 0.0
    memory_gib: float = 0.0
    gpus: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Machine:
    """A type of machine.

    cpu, memory, gpu: what jobs can have of one: thousandths of a core, MiB, GPUs.
    usd: its price an hour; None where it is not known.
    """

    cpu: int
    memory: int
    gpu: int = 0
    usd: float | None = None

    def machines_for(self, vcores: float, memory_gib: float, gpus: float) -> float:
        """How many of it an amount takes, by the resource of which it takes most."""
        pairs = (
            (vcores * MILLIS_A_CORE, self.cpu),
            (memory_gib * MIB_A_GIB, self.memory),
            (gpus, self.gpu),
        )
        return max((amount / size for amount, size in pairs if size), default=0.0)


@dataclass(frozen=True, kw_only=True)
class QueueSize:
    """What a queue is guaranteed, and may have and run at a time; None where the settings state nothing."""

    guaranteed: Resources | None = None
    maximum: Resources | None = None
    max_applications: int | None = None


def queue_sizes(queues: Iterable[tuple[str, Queue]]) -> dict[str, QueueSize]:
    """What leaf queues have, by path."""
    return {
        path: QueueSize(
            guaranteed=queue.guaranteed, maximum=queue.maximum, max_applications=queue.max_applications
        )
        for path, queue in queues
    }


@dataclass(frozen=True, kw_only=True)
class ClusterSize:
    """A cluster as a report sees it.

    name: in the settings.
    machine: of these types, the one in which instances are counted.
    machines: types of machine, by name, that it has or had.
    resources: what jobs can have of all machines that it can have.
    queues: by path.
    """

    name: str
    machine: str
    machines: Mapping[str, Machine]
    resources: Resources
    queues: Mapping[str, QueueSize] = field(default_factory=dict)

    @property
    def reference(self) -> Machine:
        """The type of machine in which instances are counted."""
        return self.machines[self.machine]

    @property
    def capacity(self) -> Amount | None:
        """All that jobs can have of it; None where that is nothing.

        Its instances are as many as the resource of which it has least is enough for.
        """
        cpu, memory = self.resources.cpu or 0, self.resources.memory or 0
        machine = self.reference
        instances = min(cpu / machine.cpu, memory / MIB / machine.memory)
        if instances <= 0:
            return None
        return Amount(
            instances=instances,
            vcores=cpu / MILLIS_A_CORE,
            memory_gib=memory / MIB / MIB_A_GIB,
            gpus=self.resources.gpu or 0,
        )

    def amount(self, vcores: float, memory_gib: float, gpus: float = 0.0) -> Amount:
        """An amount of resources, with the machines that it takes."""
        return Amount(
            instances=self.reference.machines_for(vcores, memory_gib, gpus),
            vcores=vcores,
            memory_gib=memory_gib,
            gpus=gpus,
        )

    def of(self, resources: Resources | None) -> Amount | None:
        """What a queue is guaranteed or may have; None where nothing is stated."""
        if resources is None or not list(resources.amounts()):
            return None
        return self.amount(
            (resources.cpu or 0) / MILLIS_A_CORE,
            (resources.memory or 0) / MIB / MIB_A_GIB,
            resources.gpu or 0,
        )
