"""The day on which versions and exceptions are judged: today, or the one that `MOKA_AS_OF` names."""

from collections.abc import Mapping
from datetime import UTC, date, datetime

VARIABLE = "MOKA_AS_OF"


class InvalidDay(ValueError):
    """What the variable has is no day."""


def as_of(environ: Mapping[str, str]) -> date:
    """The day, of UTC, by which AWS's calendar goes.

    environ: of the process. Raises InvalidDay.
    """
    text = environ.get(VARIABLE)
    if not text:
        return datetime.now(UTC).date()
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise InvalidDay(f"{VARIABLE} is {text!r}, which is no day: write one such as 2027-04-01.") from None
