"""What the pods of a job request."""

from dataclasses import dataclass

from moka.jobs.event_log_uploader import MEMORY_MIB
from moka.jobs.job import Driver, Executor, Job
from moka.machines.machine_capacity import JobRole
from moka.quantities import millicores, spark_mebibytes

JVM_OVERHEAD, OTHER_OVERHEAD, MIN_OVERHEAD_MIB = 0.1, 0.4, 384
"""Spark's own: share of the heap, with Python or R, and at least."""


@dataclass(frozen=True)
class Size:
    """Resources that a pod requests. millicores: thousandths of a core."""

    millicores: int
    memory_mib: int

    def times(self, count: int) -> "Size":
        """Of so many pods."""
        return Size(count * self.millicores, count * self.memory_mib)


def overhead_mib(job: Job, pod: Driver | Executor) -> int:
    """MiB beside the heap, with those of a driver's sidecar, which itself requests nothing."""
    sidecar = MEMORY_MIB if isinstance(pod, Driver) else 0
    if pod.overhead:
        return spark_mebibytes(pod.overhead) + sidecar
    share = JVM_OVERHEAD if job.language in ("scala", "java") else OTHER_OVERHEAD
    return max(int(spark_mebibytes(pod.memory) * share), MIN_OVERHEAD_MIB) + sidecar


def size(job: Job, role: JobRole) -> Size:
    """What a pod of a job requests: as Spark adds it up, and the operator for placeholders."""
    pod: Driver | Executor = job.driver if role == "driver" else job.executor
    off_heap = pod.off_heap if isinstance(pod, Executor) else None
    return Size(
        millicores=millicores(pod.core_request) if pod.core_request else pod.cores * 1000,
        memory_mib=spark_mebibytes(pod.memory)
        + overhead_mib(job, pod)
        + (spark_mebibytes(off_heap) if off_heap else 0),
    )
