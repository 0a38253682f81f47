"""How much of a machine Celeborn's masters and workers get, and how their JVMs use it."""

import math
from dataclasses import dataclass

MASTER_GIB = 20
"""Size of a master's volume: its log of what the masters agreed on is cut short again and again."""

MAX_HEAP_GIB = 31
"""Heap up to which a JVM's references take four bytes: a few GiB more would hold less."""

JVM_FLAGS = (
    # By name: the image's JDK is of version 8, which would take another one.
    "-XX:+UseG1GC",
    "-XX:+ParallelRefProcEnabled",
    # Kubernetes starts it again; half a worker, alive only to probes, would be given data.
    "-XX:+ExitOnOutOfMemoryError",
)
"""Known to JDK 8, of which the image is made (apache/celeborn: docker/Dockerfile), and to later ones."""


@dataclass(frozen=True, kw_only=True)
class MasterSize:
    """What a master gets.

    cpus: cores that it requests.
    heap_gib: of its JVM, GiB.
    """

    cpus: int
    heap_gib: int

    @property
    def off_heap_gib(self) -> int:
        """Memory for its buffers, GiB: a quarter of the heap, our choice, unmeasured.

        Without a bound a JVM takes as much as its heap, which the pod does not have twice; no script sets one
        (apache/celeborn v0.7.0: sbin/start-master.sh).
        """
        return math.ceil(self.heap_gib / 4)

    @property
    def memory_gib(self) -> int:
        """Of the pod: as of a worker's."""
        return pod_memory_gib(self.heap_gib, self.off_heap_gib)

    @property
    def environment(self) -> dict[str, str]:
        """Variables of Celeborn's start script."""
        return {
            "CELEBORN_MASTER_MEMORY": f"{self.heap_gib}g",
            "CELEBORN_MASTER_JAVA_OPTS": " ".join(
                (f"-Xms{self.heap_gib}g", f"-XX:MaxDirectMemorySize={self.off_heap_gib}g", *JVM_FLAGS)
            ),
        }


@dataclass(frozen=True, kw_only=True)
class WorkerSize:
    """What a worker gets.

    cpus: cores that it requests.
    heap_gib, off_heap_gib: of its JVM, GiB; the latter for shuffle data.
    """

    cpus: int
    heap_gib: int
    off_heap_gib: int

    @property
    def memory_gib(self) -> int:
        """Of the pod."""
        return pod_memory_gib(self.heap_gib, self.off_heap_gib)

    @property
    def environment(self) -> dict[str, str]:
        """Variables of Celeborn's start script."""
        return {
            "CELEBORN_WORKER_MEMORY": f"{self.heap_gib}g",
            "CELEBORN_WORKER_OFFHEAP_MEMORY": f"{self.off_heap_gib}g",
            "CELEBORN_WORKER_JAVA_OPTS": " ".join((f"-Xms{self.heap_gib}g", *JVM_FLAGS)),
        }


def pod_memory_gib(heap_gib: int, off_heap_gib: int) -> int:
    """Memory of a pod: a tenth more, for what a JVM takes beside its heap and its buffers."""
    return math.ceil((heap_gib + off_heap_gib) * 11 / 10)


def worker_size(vcpus: int, memory_gib: int) -> WorkerSize:
    """Size of the one worker on a machine.

    vcpus, memory_gib: of the machine, as EC2 names it. Raises ValueError when that is not enough.

    13 of 16 cores and 86% of the memory, as data-on-eks has it (26 and 220 GiB of r8g.8xlarge); the rest is
    for the kubelet and the pods of every node. A fifth of what is left beside the JVM's own tenth is heap.
    (The 48 and 180 GiB of data-on-eks are more than the 220 of their pod.)
    """
    cpus, usable = worker_cores(vcpus), worker_memory_gib(memory_gib) * 10 // 11
    heap = min(MAX_HEAP_GIB, usable // 5)
    if cpus < 1 or heap < 1:
        raise ValueError(f"a worker needs at least 2 vCPUs and 8 GiB, not {vcpus} and {memory_gib}")
    return WorkerSize(cpus=cpus, heap_gib=heap, off_heap_gib=usable - heap)


def worker_cores(vcpus: int) -> int:
    """Cores of a machine that a worker may request."""
    return vcpus - math.ceil(vcpus * 3 / 16)


def worker_memory_gib(gib: int) -> int:
    """Memory of a machine that a worker's pod may have."""
    return gib * 86 // 100


def master_size(workers: int) -> MasterSize:
    """Size of each master: it knows what each worker has of each shuffle. The steps are ours, unmeasured."""
    if workers <= 25:
        return MasterSize(cpus=1, heap_gib=3)
    return MasterSize(cpus=2, heap_gib=6) if workers <= 100 else MasterSize(cpus=4, heap_gib=12)
