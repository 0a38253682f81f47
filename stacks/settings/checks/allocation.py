"""Plans of the night: what they need, and when they are made."""

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from functools import cache

from cronsim import CronSim

from moka.mistakes import Mistake
from stacks.settings.allocation import Night
from stacks.settings.environment import Environment
from stacks.settings.job_machines import counted_machines

AT = "services.allocator"


def needs(settings: Environment) -> Iterator[Mistake]:
    """A service `allocator` whose plans are made of nothing or reach nothing, or nights without one."""
    services = settings.services
    if services.allocator is None:
        if settings.allocation.night != Night():
            yield Mistake(
                "allocation.night",
                f"is for plans that the service allocator makes, which is not there; set {AT}, or remove it",
            )
        return
    if services.archer is None or settings.archer is None:
        yield Mistake(AT, "makes plans that Archer keeps; add services.archer and section archer")
    elif settings.archer.authentication.iam is None:
        yield Mistake(
            AT,
            "says by its role who it is, and Archer would not know it; add `iam: {}` to "
            "archer.authentication",
        )
    if services.usage_recorder is None:
        yield Mistake(AT, "makes plans of what was used, which nobody records; set services.usage_recorder")
    if services.queue_keeper is None:
        yield Mistake(AT, "makes plans that reach no queue; set services.queue_keeper, which brings them")


def nights(settings: Environment) -> Iterator[Mistake]:
    """Days without a plan, and days of which nothing is kept."""
    night, kept_days = settings.allocation.night, settings.retention.resource_usage
    today = datetime.combine(datetime.now(UTC), time(), UTC)
    if (day := _day_without(night.cron, today)) is not None:
        yield Mistake(
            "allocation.night.cron",
            f"is {night.cron!r}, which does not come on {day:%A}, {day:%Y-%m-%d}; have it come every day, as "
            "an alert tells of two nights without a plan",
        )
    if night.days > kept_days:
        yield Mistake(
            "allocation.night.days",
            f"is {night.days}, but retention.resource_usage keeps {kept_days}; lower it, or keep more",
        )


def machines(settings: Environment) -> Iterator[Mistake]:
    """Clusters that no plan can be made for."""
    if settings.services.allocator is None:
        return
    for name in settings.clusters:
        if counted_machines(settings, name) is None:
            yield Mistake(
                f"clusters.{name}",
                "has instance types whose names do not tell their cores and memory, so that no plan can be "
                "made for it; give its executors a type that does, or remove services.allocator",
            )


@cache
def _day_without(cron: str, today: datetime) -> datetime | None:
    """A day, in UTC, of a year from today on at which a cron expression does not come."""
    for day in (today + timedelta(days=number) for number in range(366)):
        # It begins after the moment that it is given.
        if next(CronSim(cron, day - timedelta(minutes=1))) >= day + timedelta(days=1):
            return day
    return None
