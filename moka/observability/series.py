"""How many series a cluster makes, at most: what each thing adds, and what that comes to.

What is kept by name is counted in `moka/collectors/metric_names.py`; how often one thing has a name is here.
"""

from dataclasses import dataclass
from typing import Literal

from moka.collectors.metric_names import APPLICATIONS, CONTAINERS, DRIVER, EXECUTORS, UPLOADER

Thing = Literal["application", "executor", "queue", "node", "worker", "cluster"]

HEAD_HOURS = 3
"""A Prometheus has a series in memory until the block in which it ended is written: of two hours, and an hour
later (https://prometheus.io/docs/prometheus/latest/storage/)."""

SERIES_BYTES = 8 * 2**10
"""Of memory, for a series: moka/sizes and stacks/settings/metrics.py go by it."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """So many series that one thing adds, and why no more."""

    thing: Thing
    what: str
    series: int
    why: str


OF_CONTAINER = len(CONTAINERS.metrics)

PARTS = (
    Part(
        thing="application",
        what="its driver's page",
        series=len(DRIVER.metrics),
        why="kept by name; a real driver has each once",
    ),
    Part(
        thing="application",
        what="its executors, added up",
        series=len(EXECUTORS.metrics),
        why="kept by name; the scraper sums over executors",
    ),
    Part(
        thing="application",
        what="its event log's uploader",
        series=len(UPLOADER.metrics),
        why="kept by name",
    ),
    Part(thing="application", what="`up` of its three pages", series=3, why="one a target"),
    Part(
        thing="application",
        what="its SparkApplication",
        series=len(APPLICATIONS.metrics),
        why="one a metric; a state is a label's value",
    ),
    Part(
        thing="application",
        what="its driver's pod",
        series=2 * OF_CONTAINER + 2 + 1,
        why="two containers by the kubelet; how each ended; whether it has a node",
    ),
    Part(
        thing="executor",
        what="its pod",
        series=OF_CONTAINER + 1,
        why="one container by the kubelet; whether it has a node",
    ),
    Part(
        thing="queue",
        what="applications and resources",
        series=8 + 6 * 6,
        why="eight states; six kinds of amounts of six resources (yunikorn-core: pkg/metrics/queue.go)",
    ),
    Part(
        thing="node",
        what="its kubelet",
        series=4 + 2 * 2 * 8,
        why="processors, memory, disk; both directions of two metrics of eight cards",
    ),
    Part(
        thing="node",
        what="its host",
        series=8 + 3 + 6 + 5 * 6 + 3 * 4,
        why="states of processors (summed over them) and memory, load, six disks, four file systems",
    ),
    Part(
        thing="node",
        what="its objects",
        series=4 + 3 * 10 + 12 + 4 + 2 * 15,
        why="ten conditions, twelve resources, four taints; pods of fifteen namespaces",
    ),
    Part(
        thing="node",
        what="pods of the platform on it",
        series=15 * (OF_CONTAINER + 2),
        why="fifteen containers: three by the kubelet, restarts, what they wait for",
    ),
    Part(
        thing="node",
        what="its agent and its Fluent Bit",
        series=12 + 3 * 8 + 7 * 6 + 5 + 3,
        why="kept by name, for eight inputs and six outputs; `up` of three pages",
    ),
    Part(
        thing="worker",
        what="Celeborn's page",
        series=80,
        why="kept by name, those of disks for each of four",
    ),
    Part(
        thing="cluster",
        what="everything there is once",
        series=20_000,
        why="an estimate, on the high side, of scheduler, operators, services, workloads",
    ),
)


def of(thing: Thing) -> int:
    """Series that one such thing adds, at most."""
    return sum(part.series for part in PARTS if part.thing == thing)


def of_applications(applications: int, executors: int) -> int:
    """Series of applications that run at once, with so many executors each."""
    return applications * (of("application") + executors * of("executor"))


def of_cluster(*, nodes: int, queues: int, applications: int, executors: int, workers: int = 0) -> int:
    """Active series of a cluster, with so many applications at once of so many executors each."""
    return (
        of("cluster")
        + nodes * of("node")
        + queues * of("queue")
        + workers * of("worker")
        + of_applications(applications, executors)
    )


def in_memory(active: int, applications_an_hour: int, executors: int) -> int:
    """Series that a Prometheus has in memory: active ones, and those of applications that ended of late."""
    return active + of_applications(applications_an_hour * HEAD_HOURS, executors)


def as_table() -> str:
    """The parts, as docs/operations/metrics.md shows them."""
    lines = ["| one | adds | series | why no more |", "| --- | --- | --- | --- |"]
    lines += [f"| {part.thing} | {part.what} | {part.series} | {part.why} |" for part in PARTS]
    return "\n".join(lines)
