"""The time of a laptop cloud: the machine's own, on the day that `MOKA_AS_OF` names if it is set, and as much
ahead as it was moved.

Nothing waits: what takes AWS an hour is compared with the time-out that it has to meet, and what AWS does at
set times is done when the clock is moved over them.
"""

import json
import os
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from localcloud.cloud import Cloud
from localcloud.errors import Refusal

UNITS = {"m": "minutes", "h": "hours", "d": "days"}


def now(cloud: Cloud) -> datetime:
    """The time in this cloud."""
    present = datetime.now(UTC)
    day = _as_of() or present.date()
    return datetime.combine(day, present.timetz()) + _ahead(cloud)


def advance(cloud: Cloud, duration: timedelta) -> tuple[datetime, datetime]:
    """Move the clock forward: the time before and after."""
    before = now(cloud)
    _file(cloud).parent.mkdir(parents=True, exist_ok=True)
    _file(cloud).write_text(json.dumps({"ahead_seconds": (_ahead(cloud) + duration).total_seconds()}))
    return before, before + duration


def reset(cloud: Cloud) -> None:
    """Set the clock to the machine's own time."""
    _file(cloud).unlink(missing_ok=True)


def duration_of(text: str) -> timedelta:
    """A duration such as 90m, 12h or 2d. Raises Refusal for another text."""
    number, unit = text[:-1], text[-1:]
    if unit not in UNITS or not number.isdecimal():
        raise Refusal(f"{text} is no duration: write one such as 90m, 12h or 2d.")
    return timedelta(**{UNITS[unit]: int(number)})


def _as_of() -> date | None:
    if not (text := os.environ.get("MOKA_AS_OF")):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise Refusal(f"MOKA_AS_OF is {text!r}, which is no day: write one such as 2027-04-01.") from None


def _ahead(cloud: Cloud) -> timedelta:
    try:
        return timedelta(seconds=json.loads(_file(cloud).read_text())["ahead_seconds"])
    except FileNotFoundError:
        return timedelta()


def _file(cloud: Cloud) -> Path:
    return cloud.home / "clock.json"
