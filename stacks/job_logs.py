"""Where the logs of a cluster's jobs are."""

from dataclasses import dataclass

from moka.names import bucket_name
from stacks.settings import Environment


@dataclass(frozen=True, kw_only=True)
class JobLogs:
    """A bucket, its region, and a cluster's folder there: its name in EKS, which Fluent Bit takes."""

    bucket: str
    region: str
    folder: str


def job_logs(settings: Environment, cluster: str) -> JobLogs:
    """Of a cluster, by its name in the settings, which is what people and addresses of ours call it."""
    foundation = settings.foundation_of(cluster)
    return JobLogs(
        bucket=bucket_name(settings.prefix, foundation.account, foundation.region, "job-logs"),
        region=foundation.region,
        folder=settings.eks_name(cluster),
    )
