"""How much of a machine the History Server gets, how its JVM uses it, and how many logs it can list."""

from dataclasses import dataclass

from moka.quantities import millicores

MAX_LISTED = 1_000_000
"""Logs that are listed at a time. Each scan asks S3 for all of them, 1,000 an answer, one answer after the
other (apache/spark: FsHistoryProvider.checkForLogs), and compares each with what it knows of it."""

LEAST_BESIDE_HEAP_GIB = 2
"""Of any JVM with RocksDB beside its heap: metaspace, threads, RocksDB's blocks, buffers of the network."""

JVM_FLAGS = (
    "-XX:+UseG1GC",
    # Names of stages and of files come in every job.
    "-XX:+UseStringDeduplication",
    # Kubernetes starts it again; half a server would be alive only to probes.
    "-XX:+ExitOnOutOfMemoryError",
)


@dataclass(frozen=True, kw_only=True)
class HistorySize:
    """What the History Server gets.

    cpu: cores, as a Kubernetes quantity.
    heap_gib: of the JVM, GiB.
    store_gib: disk of each replica, GiB.
    """

    cpu: str
    heap_gib: int
    store_gib: int

    @property
    def memory_gib(self) -> int:
        """Of the pod: a quarter more than the heap."""
        return self.heap_gib + max(LEAST_BESIDE_HEAP_GIB, self.heap_gib // 4)

    @property
    def applications_gib(self) -> int:
        """Of the heap, for applications while they are read; the rest is for statuses of a scan and pages."""
        return self.heap_gib // 2

    @property
    def disk_gib(self) -> int:
        """Of the disk, for applications that were read; the rest is for the list, and for RocksDB as it
        compacts."""
        return self.store_gib * 8 // 10

    @property
    def replay_threads(self) -> int:
        """Logs that are read at a time: threads wait for S3 most of their time."""
        return max(16, millicores(self.cpu) * 4 // 1000)

    @property
    def environment(self) -> dict[str, str]:
        """Variables of Spark's start script."""
        return {
            "SPARK_DAEMON_MEMORY": f"{self.heap_gib}g",
            "SPARK_DAEMON_JAVA_OPTS": " ".join(JVM_FLAGS),
        }
