"""The zone of a job's executors: one, so that what they shuffle stays in it (decision 0045)."""

import hashlib

from moka.jobs.job import Job
from moka.jobs.job_target import JobTarget
from moka.jobs.pod_size import Size, size
from moka.jobs.shuffle import on_celeborn
from moka.quantities import mebibytes, millicores

MOST = 0.5
"""Share of what a zone can have at most that the executors of one job may come to: others are there, too, and
what a job lacks in its zone it does not get in another."""


def executor_zone(job: Job, target: JobTarget) -> str | None:
    """The zone of a job's executors; None for any.

    Another one for each job, by its name and namespace, and the same each time that it is asked for.
    """
    wish = job.executor.zone or target.executor_zone
    if wish == "any":
        return None
    if wish != "one":
        return wish
    zones = fitting_zones(job, target)
    if not zones:
        return None
    digest = hashlib.sha256(f"{job.namespace}/{job.name}".encode()).digest()
    return zones[int.from_bytes(digest[:8]) % len(zones)]


def fitting_zones(job: Job, target: JobTarget) -> list[str]:
    """Zones that hold all of a job's executors well, in order; with Celeborn those that have its workers."""
    need = most_executors(job, target)
    workers = target.celeborn_zones if on_celeborn(job, target) else ()
    return [
        zone
        for zone, (cores, memory) in capacities(job, target).items()
        if need.millicores <= MOST * cores
        and (memory is None or need.memory_mib <= MOST * memory)
        and (not workers or zone in workers)
    ]


def most_executors(job: Job, target: JobTarget) -> Size:
    """What all executors of a job come to at most: as many as it may have, in what its queue may have."""
    need, queue = size(job, "executor").times(job.executor.at_most), target.queues.get(job.queue_path, {})
    return Size(
        min(need.millicores, millicores(queue["cpu"])) if "cpu" in queue else need.millicores,
        min(need.memory_mib, mebibytes(queue["memory"])) if "memory" in queue else need.memory_mib,
    )


def holds(job: Job, target: JobTarget, zone: str, pods: Size) -> bool:
    """Whether a zone can have so much for a job, if nobody else is there."""
    cores, memory = capacities(job, target)[zone]
    return pods.millicores <= cores and (memory is None or pods.memory_mib <= memory)


def capacities(job: Job, target: JobTarget) -> dict[str, tuple[int, int | None]]:
    """Zone -> thousandths of cores, and MiB where they are known, that executors of a job can have there."""
    gpu = job.executor.gpus is not None
    result: dict[str, tuple[int, int | None]] = {}
    for capacity in target.executor_zones:
        if capacity.gpu != gpu or job.architecture not in ("any", capacity.architecture):
            continue
        cores, memory = result.get(capacity.zone, (0, 0))
        both = None if memory is None or capacity.memory_mib is None else memory + capacity.memory_mib
        result[capacity.zone] = (cores + capacity.millicores, both)
    return dict(sorted(result.items()))
