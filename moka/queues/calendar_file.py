"""A calendar as a file: what a program is given that keeps the queues of a cluster as the time has them.

It has the keys of `moka.queues.calendar.Calendar`, and its format first. A format that reads otherwise gets
another number.
"""

from typing import Literal

from pydantic import Field, ValidationError

from moka.documents import DocumentKind
from moka.mistakes import InvalidDocument, Mistake
from moka.queues.block import block
from moka.queues.calendar import Calendar

FORMAT = "moka-queue-calendar/1"


class CalendarFile(Calendar):
    """What the queues of a cluster are shares of, and when that changes."""

    format: Literal["moka-queue-calendar/1"] = Field(description="Format of this file, with its version.")


CALENDAR_FILE = DocumentKind(
    model=CalendarFile, example="docs/decisions/0049-queues-by-the-hour.md", noun="calendar"
)


def dumps(calendar: Calendar) -> str:
    """The text of the file; equal calendars give equal text."""
    data = calendar.model_dump(mode="json", exclude_defaults=True)
    data["node_groups"] = dict(sorted(data["node_groups"].items()))
    return block({"format": FORMAT, **data})


def loads(content: bytes | str, where: str) -> Calendar:
    """The calendar in a file; `where` names it in messages.

    Raises InvalidDocument with every mistake, a line each.
    """
    data = CALENDAR_FILE.read(content, where)
    if (name := data.get("format")) != FORMAT:
        raise InvalidDocument(f"{where}: {Mistake('format', f'is {name!r}, but only {FORMAT} can be read')}")
    try:
        calendar = CALENDAR_FILE.validate(data, where)
    except ValidationError as error:
        mistakes = CALENDAR_FILE.mistakes(error)
        raise InvalidDocument("\n".join(f"{where}: {mistake}" for mistake in mistakes)) from None
    return Calendar(**{name: getattr(calendar, name) for name in Calendar.model_fields})
