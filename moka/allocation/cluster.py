"""A cluster as allocation sees it: so many machines of a size."""

from dataclasses import dataclass
from fractions import Fraction

from moka.quantities import MIB
from moka.queues.resources import Resources

THOUSANDTHS = 1000
"""Of a machine, in which amounts are counted."""


class NoCapacity(ValueError):
    """A cluster that nothing can be shared out of; the message is a sentence."""


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """A cluster's capacity.

    name: in the settings.
    instance: what jobs can have of one machine; with GPUs where they are to count.
    instances: machines that it can have.
    Raises NoCapacity.
    """

    name: str
    instance: Resources
    instances: int

    def __post_init__(self) -> None:
        if self.instances < 1:
            raise NoCapacity(
                f"{self.name} has a capacity of {self.instances} machines: give it at least one."
            )
        for resource in ("cpu", "memory"):
            if (self.instance.get(resource) or 0) < 1:
                raise NoCapacity(
                    f"A machine of {self.name} has no {resource}: say how much jobs can have of it."
                )

    @property
    def capacity(self) -> Resources:
        """What all machines have."""
        return Resources(**{name: amount * self.instances for name, amount in self.instance.amounts()})

    def machines(self, cpu: int, memory: int, gpu: int) -> int:
        """Thousandths of machines that an amount takes, by the resource of which it takes most; rounded up.

        memory: MiB.
        """
        sizes = self.sizes()
        takes = [
            Fraction(amount, size) for amount, size in zip((cpu, memory, gpu), sizes, strict=True) if size
        ]
        return -(-max(takes) * THOUSANDTHS // 1)

    def sizes(self) -> tuple[int, int, int]:
        """What a machine has, as amounts in use are counted: thousandths of a core, MiB, GPUs (0: not
        counted)."""
        return self.instance.cpu or 0, (self.instance.memory or 0) // MIB, self.instance.gpu or 0
