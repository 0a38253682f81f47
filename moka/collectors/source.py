"""A kind of program, and what of its metrics is collected."""

from dataclasses import dataclass
from typing import Literal

Per = Literal["cluster", "node", "namespace", "queue", "worker", "application", "pod"]
"""What there is a series, or a few, for each of."""

MANY = frozenset({"application", "pod"})
"""Of those, the ones of which there are thousands that come and go."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """Metrics of a kind of program.

    page: where their names are written down, or what they were read from.
    """

    per: Per
    metrics: tuple[str, ...]
    page: str


def prefixed(prefix: str, *names: str) -> tuple[str, ...]:
    """Names with the same beginning."""
    return tuple(prefix + name for name in names)


def histogram(*names: str) -> tuple[str, ...]:
    """The series of histograms."""
    return tuple(name + suffix for name in names for suffix in ("_bucket", "_count", "_sum"))
