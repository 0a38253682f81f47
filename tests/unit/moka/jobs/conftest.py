"""A cluster and a job, of which a test says what is different."""

import pytest

from moka.jobs.job_target import Celeborn, JobTarget
from moka.machines.machine_capacity import NodeGroupShape, largest_machines
from tests.support.jobs import a_job

MACHINES = {
    ("driver", "arm64"): "r7g.2xlarge",
    ("driver", "amd64"): "r6i.2xlarge",
    ("executor", "arm64"): "r7g.4xlarge",
    ("executor", "amd64"): "r6i.8xlarge",
}


def a_target(**changes):
    return JobTarget(
        **{
            "cluster": "spark-a",
            "environment": "test",
            "region": "us-east-1",
            "queues": {
                "root.analytics.reports.tier1": {"cpu": "64", "memory": "512Gi"},
                "root.analytics.reports.tier2": {"cpu": "64", "memory": "512Gi"},
                "root.science.models.tier3": {},
            },
            "namespaces": ["spark-jobs", "science"],
            "priority_classes": {1: "moka-tier-1", 2: "moka-tier-2", 3: "moka-tier-3"},
            "machines": largest_machines(
                NodeGroupShape(role=role, architecture=architecture, instance_types=[name])
                for (role, architecture), name in MACHINES.items()
            ),
            "event_logs": "s3a://logs/",
            "staging": {"spark-jobs": "s3a://staging/spark-jobs/"},
            "images": {"4.1": "docker.io/apache/spark:4.1.2"},
            "ui_domain": "spark-a.example",
            "history_url": "http://history.example",
            "celeborn": Celeborn(endpoints="celeborn-master-0:9097", version="0.7.0"),
            "finalizer": "moka.dev/driver",
            **changes,
        }
    )


@pytest.fixture(scope="session")
def target():
    """Make a job target: what is different -> it."""
    return a_target


@pytest.fixture(scope="session")
def job():
    """Make a job: what is different -> it; None takes a field out."""
    return a_job
