"""Jobs that conformance submits, as people do: a job file's fields, rendered for the cluster."""

from dataclasses import dataclass
from typing import Any

from conformance.environment.outside import Defect, Outside, path_of
from moka.jobs.application import spark_application
from moka.jobs.job import Job
from moka.jobs.job_target import JobTarget
from moka.mistakes import InvalidDocument

APPLICATIONS = "apis/sparkoperator.k8s.io/v1beta2/sparkapplications"
PODS = "api/v1/pods"
ENDED = ("COMPLETED", "FAILED", "SUBMISSION_FAILED")


@dataclass(frozen=True)
class SubmittedJob:
    """A job of a name on a cluster, in the first of its job namespaces."""

    outside: Outside
    name: str

    @property
    def namespace(self) -> str:
        """Where it runs."""
        return sorted(_target(self.outside).namespaces)[0]

    @property
    def spark_id(self) -> str:
        """Spark's id of it. Raises Defect where it has none."""
        application = self.application() or {}
        spark_id = (application.get("status") or {}).get("sparkApplicationId")
        if not spark_id:
            raise Defect(f"no job {self.name} ran before that could be looked for")
        return str(spark_id)

    def application(self) -> Any:
        """Its SparkApplication; None where there is none."""
        return self.outside.ask("GET", path_of(APPLICATIONS, self.namespace, self.name))

    def end(self) -> str:
        """The state in which it ended; empty before."""
        status = (self.application() or {}).get("status") or {}
        state = str((status.get("applicationState") or {}).get("state", ""))
        return state if state in ENDED else ""

    def driver(self) -> str | None:
        """Uid of the pod of its driver, once that runs."""
        pod = self.outside.ask("GET", path_of(PODS, self.namespace, f"{self.name}-driver"))
        running = (
            pod and not pod["metadata"].get("deletionTimestamp") and pod["status"].get("phase") == "Running"
        )
        return str(pod["metadata"]["uid"]) if running else None

    def delete_driver(self) -> None:
        """Delete the driver's pod, as `kubectl delete` does."""
        self.outside.ask("DELETE", path_of(PODS, self.namespace, f"{self.name}-driver"))

    def delete(self) -> None:
        """Delete it, and wait until it is gone."""
        self.outside.ask("DELETE", path_of(APPLICATIONS, self.namespace, self.name))
        self.outside.wait(f"the end of {self.name}", lambda: self.application() is None, minutes=5)


PI = "SparkPi"
COUNT = "JavaWordCount"
"""Spark's examples: the first takes the tasks of its only stage, the second the address of a text."""


def submitted(outside: Outside, name: str, example: str, argument: str, retries: bool = True) -> SubmittedJob:
    """An example of Spark's, submitted in the environment's first queue; an earlier one of its name goes.

    retries: whether it runs again once it failed. Raises Defect where the job is refused.
    """
    spark_job = SubmittedJob(outside, name)
    target = _target(outside)
    spark_job.delete()
    try:
        job = _job(name, spark_job.namespace, target, example, argument, retries)
        manifest = spark_application(job, target)
    except InvalidDocument as refusal:
        raise Defect(f"the job is refused: {refusal}") from None
    outside.ask("POST", path_of(APPLICATIONS, spark_job.namespace), manifest)
    return spark_job


def _job(name: str, namespace: str, target: JobTarget, example: str, argument: str, retries: bool) -> Job:
    _, organization, project, tier = sorted(target.queues)[0].split(".")
    drivers = {machine.architecture for machine in target.machines if machine.role == "driver"}
    executors = {machine.architecture for machine in target.machines if machine.role == "executor"}
    return Job.model_validate(
        {
            "name": name,
            "namespace": namespace,
            "queue": f"{organization}.{project}",
            "tier": int(tier.removeprefix("tier")),
            "architecture": max(drivers & executors),
            "main_file": "local:///opt/spark/examples/jars/spark-examples.jar",
            "main_class": f"org.apache.spark.examples.{example}",
            "arguments": [argument],
            "restart": {"policy": "on-failure", "seconds": 5} if retries else {"policy": "never"},
            "executor": {"cores": 1, "memory": "2g", "instances": 1},
        }
    )


def _target(outside: Outside) -> JobTarget:
    return JobTarget.from_outputs(outside.output("spark")["jobs"])
