"""Size of a controller of the Spark Operator, from the applications that it submits."""

from dataclasses import dataclass
from math import ceil

JVM_FLAGS = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx256m"
"""Of every spark-submit. In cluster mode Spark names no heap, so it would be a quarter of the pod's memory.

A JVM that lives for seconds never earns back what the better compiler costs. Measured with Spark 4.1, three
at a time on two cores: 8.3 s of CPU and 280 MiB a submission without the flags, 4.5 s and 234 MiB with them.
"""

SUBMISSION_CPU_SECONDS = 8.0
"""Of a submission: 15 in the operator's benchmark guide (20 workers on 33 cores made 130
applications a minute, bound by CPU), and the flags take almost half of it."""

SUBMISSION_SECONDS = 9.0
"""How long a submission keeps a worker busy: 20 workers for 130 a minute, from the same guide."""

OTHER_WORKERS = 4
"""Workers for existing applications, so that a burst of new ones does not stop them."""

JVM_MIB = 400
"""Memory of a spark-submit: 256 of heap, and what was measured beside it (about 110), rounded up."""

BASE_MILLICORES, BASE_MIB = 500, 2048
"""The controller without its JVMs: it keeps every pod and application of its namespaces in memory. An
estimate: the benchmark's 36,000 pods at 20 KiB and 6,000 applications at 50 KiB are 1 GiB."""

EXECUTORS = 40
"""Executors of an application, for what its pods make the controller do; a middle between many small ones and
a few large ones, not a limit."""

CALLS = 2 * EXECUTORS + 20
"""Calls of an application to the API server: a status for every executor that starts or ends, and more."""

EVENTS = 4 * EXECUTORS + CALLS
"""What an application puts into the work queue: each phase of a pod, and each status that it was given.
Without a token each waits, new applications too (kubeflow/spark-operator#1990: minutes to the first pod with
the defaults; #2374: 1,000 a second where it went well)."""

MIN_CALLS, MIN_EVENTS, MIN_BUCKET = 100, 50, 500
"""A second; the last two are the chart's own. Its 20 calls a second starve ten workers."""

REPLICAS = 2
"""Of a controller, one of which leads. The other requests as much, so as to take over at once."""


@dataclass(frozen=True, kw_only=True)
class OperatorSize:
    """A controller.

    workers: applications that it works on at the same time, each with at most one spark-submit.
    millicores: thousandths of a core that it requests.
    memory_mib: that it requests, and its limit.
    calls, calls_burst: to the API server, a second and at once.
    events, events_burst: into its work queue, a second and at once.
    """

    workers: int
    millicores: int
    memory_mib: int
    calls: int
    calls_burst: int
    events: int
    events_burst: int


def operator_size(applications_per_minute: int) -> OperatorSize:
    """Size of a controller that submits so many applications a minute; a burst above that has to queue.

    Raises ValueError below 1.
    """
    if applications_per_minute < 1:
        raise ValueError(f"{applications_per_minute} applications a minute are too few; set at least 1")
    per_second = applications_per_minute / 60
    workers = ceil(per_second * SUBMISSION_SECONDS) + OTHER_WORKERS
    calls = max(MIN_CALLS, ceil(per_second * CALLS))
    events = max(MIN_EVENTS, ceil(per_second * EVENTS))
    return OperatorSize(
        workers=workers,
        millicores=BASE_MILLICORES + ceil(per_second * SUBMISSION_CPU_SECONDS * 1000),
        memory_mib=BASE_MIB + workers * JVM_MIB,
        calls=calls,
        calls_burst=2 * calls,
        events=events,
        events_burst=max(MIN_BUCKET, 10 * events),
    )


def max_rate(millicores: int) -> int:
    """Applications a minute that a controller with so much CPU submits; 0 if it needs all for itself."""
    return max(0, int((millicores - BASE_MILLICORES) * 60 / (SUBMISSION_CPU_SECONDS * 1000)))
