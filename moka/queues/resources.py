"""Amounts of what a cluster has: cores, memory, GPUs."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Self

from moka.quantities import cpu_quantity, memory_bytes, memory_quantity, millicores


@dataclass(frozen=True, kw_only=True)
class Resources:
    """Amounts of some resources; None of those that are not stated.

    cpu: thousandths of a core.
    memory: bytes.
    gpu: NVIDIA GPUs.
    """

    cpu: int | None = None
    memory: int | None = None
    gpu: int | None = None

    @classmethod
    def of(cls, cpu: str | None = None, memory: str | None = None, gpu: int | None = None) -> Self:
        """From Kubernetes quantities: `16` or `500m`, `128Gi`. Raises ValueError for anything else."""
        return cls(
            cpu=None if cpu is None else millicores(cpu),
            memory=None if memory is None else memory_bytes(memory),
            gpu=gpu,
        )

    def amounts(self) -> Iterator[tuple[str, int]]:
        """The resources that are stated, and how much of each."""
        for name in RESOURCES:
            if (amount := getattr(self, name)) is not None:
                yield name, amount

    def quantities(self) -> dict[str, str]:
        """The resources that are stated, as Kubernetes and YuniKorn read them."""
        return {name: quantity(name, amount) for name, amount in self.amounts()}

    def get(self, name: str) -> int | None:
        """How much of a resource; None where it is not stated."""
        amount: int | None = getattr(self, name)
        return amount


RESOURCES: tuple[str, ...] = tuple(field.name for field in fields(Resources))
"""Names of the resources."""


def total(parts: Iterable[Resources]) -> Resources:
    """The sum of some resources."""
    sums: dict[str, int] = {}
    for part in parts:
        for name, amount in part.amounts():
            sums[name] = sums.get(name, 0) + amount
    return Resources(**sums)


def quantity(resource: str, amount: int) -> str:
    """An amount of a resource, as Kubernetes and YuniKorn read it."""
    match resource:
        case "cpu":
            return cpu_quantity(amount)
        case "memory":
            return memory_quantity(amount)
        case _:
            return str(amount)
