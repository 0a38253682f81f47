"""Jobs, their target, and applications, of which a test says only what is different."""

from typing import Any

from moka.jobs.job import Job
from moka.jobs.job_target import Celeborn, EventLogUploader, JobTarget
from moka.machines.machine_capacity import NodeGroupShape, largest_machines

INSTANCE_TYPES = {
    ("driver", "arm64"): "r7g.2xlarge",
    ("driver", "amd64"): "r6i.2xlarge",
    ("executor", "arm64"): "r7g.4xlarge",
    ("executor", "amd64"): "r6i.8xlarge",
}


def make_job(**changes: Any) -> Job:
    """A job; None takes a field out."""
    fields = {
        "name": "pi",
        "namespace": "spark-jobs",
        "queue": "analytics.reports",
        "tier": 1,
        "main_file": "local:///opt/spark/examples/jars/spark-examples.jar",
        "main_class": "org.apache.spark.examples.SparkPi",
        **changes,
    }
    return Job.model_validate({key: value for key, value in fields.items() if value is not None})


def make_job_target(**changes: Any) -> JobTarget:
    """A cluster that jobs are rendered for."""
    fields: dict[str, Any] = {
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
            for (role, architecture), name in INSTANCE_TYPES.items()
        ),
        "event_log_uploader": EventLogUploader(
            image="acme/event-log-uploader:1", bucket="logs", region="us-east-1", seconds=10
        ),
        "staging": {"spark-jobs": "s3a://staging/spark-jobs/"},
        "images": {"4.1": "docker.io/apache/spark:4.1.2"},
        "ui_domain": "spark-a.example",
        "history_url": "http://history.example",
        "celeborn": Celeborn(endpoints="celeborn-master-0:9097", version="0.7.0"),
        "finalizer": "moka.dev/driver",
        "packages": ["org.postgresql:postgresql:42.7.4"],
        "repositories": ["https://repo.example"],
        **changes,
    }
    return JobTarget(**fields)


def make_application(name: str, **spec: Any) -> dict[str, Any]:
    """The smallest SparkApplication that the Spark Operator runs, as its owner would write it by hand."""
    size = {"cores": 1, "memory": "512m"}
    return {
        "apiVersion": "sparkoperator.k8s.io/v1beta2",
        "kind": "SparkApplication",
        "metadata": {"name": name},
        "spec": {
            "type": "Scala",
            "mode": "cluster",
            "sparkVersion": "4.1.0",
            "image": "spark:4.1.0",
            "mainClass": "org.apache.spark.examples.SparkPi",
            "mainApplicationFile": "local:///opt/spark/examples/jars/spark-examples.jar",
            "driver": {**size, "serviceAccount": "spark"},
            "executor": {**size, "instances": 1},
            **spec,
        },
    }
