"""Settings of the History Server."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from moka.documents import Count, Cpu, Section
from moka.images import OwnImage

CONSOLE = "https://{region}.console.aws.amazon.com/s3/buckets/{bucket}?region={region}&prefix={prefix}"
"""A prefix of a bucket in AWS's console."""


def _has_place(url: str) -> str:
    if not re.fullmatch(r"https?://\S+", url) or "{prefix}" not in url:
        raise ValueError("write an address with the place of logs in it: https://portal.example/?at={prefix}")
    return url


LogsUrl = Annotated[str, AfterValidator(_has_place)]


class History(Section):
    """The History Server: the UI of jobs that have ended; one an environment, on its home cluster."""

    image: OwnImage = Field(description="Its image, as `make images SERVICE=history-server` has pushed it.")
    replicas: int = Field(
        default=1,
        ge=1,
        le=4,
        description="Pods, each with a list and a disk of its own. With one, a lost node is minutes without "
        "the UI; two cost twice the memory.",
    )
    cpu: Cpu = Field(default="4", description="Cores of a replica, as Kubernetes writes them: 4, 500m.")
    heap_gib: int = Field(
        default=12, ge=4, le=256, description="GiB of the JVM's heap; the pod gets a quarter more."
    )
    store_gib: int = Field(
        default=100,
        ge=10,
        le=16384,
        description="GiB of a replica's disk: its list, and jobs that were opened.",
    )
    jobs_per_day: Count = Field(
        default=20_000,
        description="Jobs that end in a day, at most: with `retention.event_logs_hot`, what each scan lists.",
    )
    interval_seconds: int = Field(
        default=300,
        ge=10,
        le=3600,
        description="Seconds between two scans. A job's own address works at once; the list has it after "
        "them and the time of a scan.",
    )
    logs_url: LogsUrl = Field(
        default=CONSOLE,
        description="Where a link to an executor's logs leads: an address with {prefix} for the place of its "
        "logs, and {bucket} and {region} where it needs them. By default S3's page in AWS's console. Who "
        "follows the link needs rights of his own.",
    )
