"""What is wrong with a job, as its owner reads it."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Mistake:
    """at: path in the job, with dots. says: the value, what is wrong with it, and what would be right."""

    at: str
    says: str

    def __str__(self) -> str:
        return f"{self.at}: {self.says}" + ("" if self.says.endswith("?") else ".")


class JobRefused(ValueError):
    """All that is wrong with a job or a file of jobs, a line a mistake."""


def listed(names: Iterable[object]) -> str:
    """Names in order, for a sentence."""
    return ", ".join(sorted(str(name) for name in names)) or "none"


def near(name: str, known: Iterable[str], some: int = 12) -> str:
    """What was meant perhaps, or else what there is: at most so many of them."""
    names = sorted(known)
    if close := difflib.get_close_matches(name, names, n=1):
        return f"did you mean {close[0]}?"
    more = f" and {len(names) - some} more" if len(names) > some else ""
    return f"there is {', '.join(names[:some]) or 'none'}{more}"
