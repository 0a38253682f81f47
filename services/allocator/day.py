"""The report of a day, in a process of its own."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime

from moka.allocation.configuration import Configuration
from moka.allocation.platform import platform_of
from moka.usage.report.day import QUESTIONS, Day, report
from moka.usage.report.metrics import Gauge, Samples, samples
from services.allocator.desk import archer_of
from services.common.logs import fields

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class DayReport:
    """The numbers of a day."""

    day: date
    samples: Mapping[Gauge, Samples]


def make(configuration: Configuration, day: date) -> DayReport:
    """The numbers of a day, with the SLOs of workflows that Archer knows. Raises Failure."""
    # Here: this process is for it, and the one that waits is small without them.
    from planning.history import ask
    from services.allocator.records import records

    now = datetime.now(UTC)
    with archer_of(configuration) as archer:
        workflows = platform_of(archer, now).workflows
    about = Day(
        environment=configuration.environment,
        day=day,
        made=now,
        clusters=[*configuration.sizes.values()],
        workflows=workflows,
    )
    with records(configuration.history, [day]) as folder:
        result = report(about, ask(folder, QUESTIONS, about.scope, [day]))
    log.info("a day is reported", extra=fields(day=day.isoformat(), says=result.says))
    return DayReport(day, samples(result))
