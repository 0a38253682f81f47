"""Jobs of which a test says what is different: as a job file has them, and as applications made by hand."""

from moka.jobs.job import Job


def a_job(**changes):
    """A job; None takes a field out."""
    said = {
        "name": "pi",
        "namespace": "spark-jobs",
        "queue": "analytics.reports",
        "tier": 1,
        "main_file": "local:///opt/spark/examples/jars/spark-examples.jar",
        "main_class": "org.apache.spark.examples.SparkPi",
        **changes,
    }
    return Job.model_validate({key: value for key, value in said.items() if value is not None})


def application_by_hand(name, **spec):
    """The least that the Spark Operator runs, with more of its spec."""
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
