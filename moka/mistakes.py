"""Mistakes in a file: where, what is wrong, and what would be right."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Mistake:
    """at: path in the file, with dots. says: the value, what is wrong with it, and what would be right."""

    at: str
    says: str

    def __str__(self) -> str:
        return f"{self.at}: {self.says}" + ("" if self.says.endswith("?") else ".")


class InvalidDocument(ValueError):
    """Every mistake in a document, a line each."""


def comma_list(names: Iterable[object]) -> str:
    """Names in order, for a sentence."""
    return ", ".join(sorted(str(name) for name in names)) or "none"


def counted(number: int, noun: str) -> str:
    """A number with its noun, for a sentence: 1 cluster, 2 clusters."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def close_match(name: str, choices: Iterable[str]) -> str | None:
    """The known name that was probably meant; None when none is similar."""
    return next(iter(difflib.get_close_matches(name, sorted(choices), n=1)), None)


def near(name: str, choices: Iterable[str], shown: int = 12) -> str:
    """What to write instead: the name that was probably meant, or else one of those that exist.

    shown: names to list at most.
    """
    names = sorted(choices)
    if match := close_match(name, names):
        return f"did you mean {match!r}?"
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return f"choose one of {', '.join(names[:shown])}{more}" if names else "there is none"
