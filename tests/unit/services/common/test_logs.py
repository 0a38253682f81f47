import json
import logging
import sys

from services.common.logs import JsonLines, fields


def line(message, *, extra=None, error=None):
    """What a record becomes, as JSON."""
    record = logging.getLogger("services.portal").makeRecord(
        "services.portal", logging.WARNING, "", 0, message, (), error, extra=extra
    )
    record.created = 1_763_726_400.25
    return json.loads(JsonLines().format(record))


def test_a_line_has_time_level_message_and_fields():
    assert line("still held", extra=fields(pod="job-driver", phase=None)) == {
        "time": "2025-11-21T12:00:00.250+00:00",
        "level": "warning",
        "msg": "still held",
        "pod": "job-driver",
        "phase": None,
    }


def test_an_error_is_its_text_or_else_its_kind():
    assert line("no", extra=fields(error=ValueError("too long")))["error"] == "too long"
    assert line("no", extra=fields(error=TimeoutError()))["error"] == "TimeoutError"


def test_a_traceback_stays_on_the_line():
    try:
        raise ValueError("too long")
    except ValueError:
        error = sys.exc_info()

    assert line("no", error=error)["error"].endswith("ValueError: too long")
