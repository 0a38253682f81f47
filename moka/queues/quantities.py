"""Amounts of what a cluster has: cores, memory, GPUs."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Self

CPU = re.compile(r"^(\d+)(m?)$")
MEMORY = re.compile(r"^(\d+)(Mi|Gi|Ti)$")
MIB = 2**20
UNITS = {"Mi": MIB, "Gi": 2**30, "Ti": 2**40}


@dataclass(frozen=True, kw_only=True)
class Resources:
    """Amounts of some resources; one that is not named is not said anything of.

    cpu: thousandths of a core.
    memory: bytes.
    gpu: NVIDIA GPUs.
    """

    cpu: int | None = None
    memory: int | None = None
    gpu: int | None = None

    @classmethod
    def of(cls, cpu: str | None = None, memory: str | None = None, gpu: int | None = None) -> Self:
        """From what Kubernetes writes: `16` or `500m`, `128Gi`. Raises ValueError for anything else."""
        return cls(
            cpu=None if cpu is None else _cpu(cpu),
            memory=None if memory is None else _memory(memory),
            gpu=gpu,
        )

    def amounts(self) -> Iterator[tuple[str, int]]:
        """The resources that are named, and how much of each."""
        for name in NAMES:
            if (amount := getattr(self, name)) is not None:
                yield name, amount

    def get(self, name: str) -> int | None:
        """How much of a resource; None where it is not named."""
        amount: int | None = getattr(self, name)
        return amount


NAMES: tuple[str, ...] = tuple(field.name for field in fields(Resources))
"""The resources that there are."""


def text(name: str, amount: int) -> str:
    """An amount as Kubernetes and YuniKorn read it, in the largest unit that tells it exactly."""
    if name == "cpu":
        return str(amount // 1000) if amount % 1000 == 0 else f"{amount}m"
    if name == "memory":
        for unit, size in reversed(UNITS.items()):
            if amount >= size and amount % size == 0:
                return f"{amount // size}{unit}"
    return str(amount)


def _cpu(written: str) -> int:
    read = CPU.match(written)
    if read is None:
        raise ValueError(f"{written!r} are no cores; write them as 4 or 500m")
    return int(read[1]) * (1 if read[2] else 1000)


def _memory(written: str) -> int:
    read = MEMORY.match(written)
    if read is None:
        raise ValueError(f"{written!r} is no memory; write it as 512Mi, 64Gi or 2Ti")
    return int(read[1]) * UNITS[read[2]]
