"""Where a job keeps its shuffle data: on Celeborn, or on its executors."""

import re
from typing import Literal

from moka.jobs.job import Job
from moka.jobs.job_target import Celeborn, JobTarget
from moka.jobs.reserved import WITH_CELEBORN
from moka.jobs.versions import RELEASES, SparkVersion

Shuffle = Literal["celeborn", "celeborn by default", "executors"]


def shuffle(job: Job, target: JobTarget) -> Shuffle:
    """Where the shuffle data of a job is on a cluster, as its annotation says."""
    if target.celeborn is None or job.namespace in target.without_celeborn:
        return "executors"
    if job.celeborn is not None:
        return "celeborn" if job.celeborn else "executors"
    return "celeborn by default" if _by_default(job, target) else "executors"


def on_celeborn(job: Job, target: JobTarget) -> bool:
    """Whether the shuffle data of a job is on Celeborn."""
    return shuffle(job, target) != "executors"


def has_client(celeborn: Celeborn, spark_version: SparkVersion) -> bool:
    """Whether there is a client of this Celeborn for a Spark."""
    version = tuple(int(part) for part in re.findall(r"\d+", celeborn.version)[:2])
    return version >= RELEASES[spark_version].celeborn


def _by_default(job: Job, target: JobTarget) -> bool:
    """A job whose executors come and go, that is large, and whose image is known to have the client.

    None that has configured what Celeborn cannot do with: it ran without before.
    """
    default, executors = target.celeborn_default, job.executor.dynamic
    return (
        target.celeborn is not None
        and default is not None
        and executors is not None
        and executors.maximum * job.executor.cores >= default.cores
        and job.image is None
        and job.spark_version in default.clients
        and has_client(target.celeborn, job.spark_version)
        and not WITH_CELEBORN.keys() & job.conf.keys()
    )
