"""A mistake in a settings file, as people read it."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Mistake:
    """at: path in the file, with dots. says: the value, what is wrong with it, and what would be right."""

    at: str
    says: str

    def __str__(self) -> str:
        return f"{self.at}: {self.says}" + ("" if self.says.endswith("?") else ".")


def listed(names: Iterable[object]) -> str:
    """Names in order, for a sentence."""
    return ", ".join(sorted(str(name) for name in names)) or "none"
