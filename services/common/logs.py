"""Logs of a service: a line of JSON for each record, on standard output."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any


class JsonLines(logging.Formatter):
    """Time, level, message and `fields` of a record, and the traceback of its exception."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as a line of JSON."""
        entry = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "msg": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            entry["error"] = self.formatException(record.exc_info)
        # Some errors, such as TimeoutError, have no text.
        return json.dumps(entry, default=lambda value: str(value) or type(value).__name__)


def configure() -> None:
    """Log what services say from level info, and what libraries say from warning."""
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    for name in ("services", "__main__"):
        logging.getLogger(name).setLevel(logging.INFO)


def fields(**values: Any) -> dict[str, Any]:
    """Argument `extra` of a logging call: `log.info("released", extra=fields(pod=name))`."""
    return {"fields": values}
