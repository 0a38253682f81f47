"""Findings: one thing about one place, and what to do about it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

Status = Literal["ok", "warning", "problem", "not checked"]

STATUSES: tuple[Status, ...] = get_args(Status)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that was asked about.

    status: `problem` is what `up` fails on; `warning` is what it may fail on, or what hurts later;
        `not checked` is what got no answer.
    where: foundation, or foundation/cluster.
    what: a sentence.
    remedy: a sentence that says what to do, or a command; empty where there is nothing to do.
    check: subject that it belongs to, a key of `checks.CHECKS`.
    numbers: that `what` has, for scripts.
    """

    status: Status
    where: str
    what: str
    remedy: str = ""
    check: str = ""
    numbers: Mapping[str, float] = field(default_factory=dict)


def ok(where: str, what: str, numbers: Mapping[str, float] | None = None) -> Finding:
    """It is as it must be."""
    return Finding(status="ok", where=where, what=what, numbers=numbers or {})


def warning(where: str, what: str, remedy: str) -> Finding:
    """It may fail, or hurt later."""
    return Finding(status="warning", where=where, what=what, remedy=remedy)


def problem(where: str, what: str, remedy: str) -> Finding:
    """`up` fails on it."""
    return Finding(status="problem", where=where, what=what, remedy=remedy)


def not_checked(where: str, what: str, remedy: str = "") -> Finding:
    """There was no answer; `what` has the reason."""
    return Finding(status="not checked", where=where, what=what, remedy=remedy)


def series(names: Iterable[object]) -> str:
    """Names in a sentence: a, b and c."""
    *most, last = [str(name) for name in names] or ["nothing"]
    return f"{', '.join(most)} and {last}" if most else last
