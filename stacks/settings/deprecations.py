"""Settings that will go: until when they are read, and what to write instead."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from stacks.settings.environment import Environment


@dataclass(frozen=True, kw_only=True)
class Deprecation:
    """A setting, or one value of it, that a version to come does not have.

    at: its place in a settings file, with dots; `*` is any name. value: the only one that goes; None: any.
    last_day: until which every version reads it. instead: what to do, an imperative without a full stop.
    """

    at: str
    value: str | None = None
    last_day: date
    instead: str


DEPRECATIONS = (
    Deprecation(
        at="ingress.controller",
        value="ingress-nginx",
        last_day=date(2027, 6, 30),
        instead="move to traefik, as docs/operations/ingress.md says",
    ),
)
"""All of them. CHANGELOG.md has each under *Deprecated* of the version that began it."""


def deprecated(
    settings: Environment, today: date, table: tuple[Deprecation, ...] = DEPRECATIONS
) -> Iterator[str]:
    """A sentence for each setting of a file that will go, and for each that may be gone any day."""
    data = settings.model_dump(exclude_unset=True, mode="json")
    for deprecation in table:
        for place, value in _values_at(data, deprecation.at.split("."), ""):
            if deprecation.value in (None, value):
                yield _sentence(deprecation, place, value, today)


def _values_at(data: Any, path: list[str], before: str) -> Iterator[tuple[str, Any]]:
    if not path:
        yield before, data
    elif isinstance(data, dict):
        for key in data if path[0] == "*" else {path[0]} & data.keys():
            yield from _values_at(data[key], path[1:], f"{before}.{key}" if before else key)


def _sentence(deprecation: Deprecation, place: str, value: Any, today: date) -> str:
    subject = place if deprecation.value is None else f"{place} {value}"
    until = (
        f"is read until {deprecation.last_day}"
        if today <= deprecation.last_day
        else f"was to be read until {deprecation.last_day}, and any version from now on may be without it"
    )
    return f"{subject} is deprecated and {until}: {deprecation.instead}."
