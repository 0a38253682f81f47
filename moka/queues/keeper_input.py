"""What the service that keeps queues is given: a ConfigMap with those of the settings and their calendar."""

from collections.abc import Mapping

from moka.queues import calendar_file, queue_file
from moka.queues.calendar import Calendar
from moka.queues.definitions import Queues

QUEUES, CALENDAR = "moka-queues.yaml", "calendar.yaml"
"""Keys: files of `moka.queues.queue_file`, which YuniKorn would not read, and `moka.queues.calendar_file`."""


def data(queues: Queues, calendar: Calendar) -> dict[str, str]:
    """The data of the ConfigMap."""
    return {QUEUES: queue_file.dumps(queues), CALENDAR: calendar_file.dumps(calendar)}


def read(data: Mapping[str, str]) -> tuple[Queues, Calendar]:
    """The queues and the calendar in a ConfigMap. Raises InvalidDocument."""
    return (
        queue_file.loads(data.get(QUEUES, ""), QUEUES),
        calendar_file.loads(data.get(CALENDAR, ""), CALENDAR),
    )
