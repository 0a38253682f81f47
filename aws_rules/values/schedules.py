"""Scheduled actions of Auto Scaling groups."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from zoneinfo import available_timezones

from aws_rules.rule import Rule
from aws_rules.values.request import Request, ValueVerdict, words

RULE = Rule(
    name="schedules",
    authority="AWS",
    decides="how the times of a scheduled action are written",
    source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-scheduled-scaling.html",
)

RULES = (RULE,)

CODE = "ValidationError"

FIELDS = 5
UNIX = re.compile(r"[0-9A-Za-z*,/\- ]+")
"""Plain cron: no `?`, `L`, `W` or `#` of other dialects."""
NAMES = words("JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC SUN MON TUE WED THU FRI SAT")


def verdicts(request: Request) -> Iterator[ValueVerdict]:
    """A scheduled action."""
    text, zone = request.value_at("Recurrence"), request.value_at("TimeZone")
    if isinstance(text, str) and not _is_cron(text):
        message = f"Given recurrence string: {text} is invalid"
        remedy = "write minute, hour, day of the month, month and day of the week: 0 8 * * MON-FRI"
        yield request.misfit(RULE, ("Recurrence",), CODE, message, remedy)
    if isinstance(zone, str) and zone not in available_timezones():
        message = f"Invalid time zone {zone}"
        yield request.misfit(RULE, ("TimeZone",), CODE, message, "write it as Europe/Berlin")


def _is_cron(text: str) -> bool:
    from cronsim import CronSim, CronSimError

    words = set(re.findall(r"[A-Za-z]+", text.upper()))
    if len(text.split()) != FIELDS or not UNIX.fullmatch(text) or words - NAMES:
        return False
    try:
        CronSim(text, datetime.now(UTC))
    except CronSimError:
        return False
    return True
