"""A day of two clusters that is small enough to be added up by hand.

`batch-a` has ten machines of 10 cores and 40 GiB, at a dollar an hour; `batch-b` the same.

- Tier 1 holds 4 machines all day for `orders`, tier 3 another 5 for `science` from 12:00 to 16:00, by memory.
- `orders` has ten runs: nine end within its hour, one after 61 minutes. Of two of `billing` one failed.
- `batch-b` has no records but a gap.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

from moka.queues.resources import Resources
from moka.usage.records import APPLICATIONS, GAPS, PROFILES, Application, Gap, Interval, Usage
from moka.usage.report.day import Day
from moka.usage.report.sizes import ClusterSize, Machine, QueueSize
from moka.workflows.definitions import Workflow
from tests.support import usage_history

DATE = date(2026, 11, 25)
BEGAN = int(datetime(2026, 11, 25, tzinfo=UTC).timestamp() * 1000)
NEXT_DAY = datetime(2026, 11, 26, 1, tzinfo=UTC)
MINUTE = 60_000
HOUR = 60 * MINUTE
ORDERS, SCIENCE = "root.retail.orders.tier1", "root.science.models.tier3"
MACHINE = Machine(cpu=10_000, memory=40 * 1024, usd=1.0)
MACHINES = {"m7g.4xlarge": MACHINE, "r7g.4xlarge": Machine(cpu=10_000, memory=80 * 1024, usd=3.0)}
TEN = Resources(cpu=100_000, memory=400 * 2**30)


def size(name="batch-a", **changes) -> ClusterSize:
    """A cluster of ten machines."""
    queues = {
        ORDERS: QueueSize(guaranteed=Resources(cpu=40_000, memory=160 * 2**30)),
        SCIENCE: QueueSize(guaranteed=Resources(cpu=80_000, memory=320 * 2**30)),
    }
    values = {"name": name, "machine": "m7g.4xlarge", "machines": MACHINES, "resources": TEN}
    return ClusterSize(**{**values, "queues": queues, **changes})


def workflow(tier: int, slo_hours: float | None) -> Workflow:
    """A workflow of retail's orders."""
    return Workflow(
        tier=tier, slo_hours=slo_hours, owner="a@acme.example", project="retail.orders", cluster="batch-a"
    )


WORKFLOWS = {"orders": workflow(1, 1), "billing": workflow(1, 2), "asleep": workflow(2, 5)}


def day(**changes) -> Day:
    """What a report of it is asked with."""
    values = {"environment": "prod", "day": DATE, "made": NEXT_DAY, "workflows": WORKFLOWS}
    return Day(**{**values, "clusters": [size(), size("batch-b")], **changes})


def intervals() -> Iterator[Interval]:
    """What was in use."""
    for hour in range(24):
        yield interval("orders", ORDERS, hour, cpu=40_000, memory=80 * 1024)
        if 12 <= hour < 16:
            yield interval("science", SCIENCE, hour, cpu=10_000, memory=200 * 1024)


def interval(workflow: str, queue: str, hour: int, cpu: int, memory: int, **changes) -> Interval:
    """An hour of a workflow."""
    values = {"cluster": "batch-a", "queue": queue, "workflow": workflow, "instance_type": "m7g.4xlarge"}
    values |= {"began": BEGAN + hour * HOUR, "ended": BEGAN + (hour + 1) * HOUR, "cpu": cpu, "memory": memory}
    return Interval(**{**values, "gpu": 0, "applications": 1, "allocations": 1, **changes})


def runs() -> Iterator[Application]:
    """What ran."""
    for number in range(10):
        yield run("orders", number, minutes=61 if number == 7 else 60)
    yield run("billing", 0, minutes=90)
    yield run("billing", 1, minutes=3, outcome="failed")
    yield run("", 0, minutes=3, queue=SCIENCE)


def run(workflow: str, number: int, minutes: int, waits: int = 1, **changes) -> Application:
    """A run, from its submission to its end so many minutes later."""
    submitted = BEGAN + number * HOUR
    values = {"cluster": "batch-a", "application": f"{workflow}-{number}", "submitted": submitted}
    values |= {"started": submitted + waits * MINUTE, "finished": submitted + minutes * MINUTE}
    values |= {"workflow": workflow, "queue": ORDERS, "outcome": "succeeded"}
    usage = (
        Usage(kind="used", instance_type="UNKNOWN", cpu=3_600_000, memory=3600 * 2**30),
        Usage(kind="preempted", instance_type="UNKNOWN", cpu=36_000_000),
    )
    return Application(**{**values, "usage": usage, **changes})


GAP = Gap(
    cluster="batch-b", began=BEGAN - HOUR, ended=BEGAN + 90 * MINUTE, says="The scheduler started anew."
)


def write(folder: Path) -> Path:
    """The day as a history in a folder; its name."""
    usage_history.write(folder, PROFILES, intervals())
    usage_history.write(folder, APPLICATIONS, runs())
    usage_history.write(folder, GAPS, [GAP])
    return folder
