"""A job as a SparkApplication that does not need the operator's webhook."""

import re
from typing import Any

from moka.jobs import checks, conf, pods
from moka.jobs.job import Driver, Executor, Job
from moka.jobs.job_target import JobTarget
from moka.jobs.pod_size import overhead_mib
from moka.jobs.shuffle import on_celeborn, shuffle
from moka.jobs.versions import RELEASES
from moka.machines.machine_capacity import JobRole
from moka.mistakes import InvalidDocument
from moka.names import LABEL_PREFIX, WORKFLOW_LABEL
from moka.pages import ui_host
from moka.quantities import spark_mebibytes

Object = dict[str, Any]

LABEL_TEXT = re.compile(r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?")
"""Of a value of a label that says something:
https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set"""

LANGUAGES = {"scala": "Scala", "java": "Java", "python": "Python", "r": "R"}
UI_URL = f"{LABEL_PREFIX}ui-url"
HISTORY_URL = f"{LABEL_PREFIX}history-url"
SHUFFLE = f"{LABEL_PREFIX}shuffle"
DEPENDENCIES = {
    "jars": "jars",
    "files": "files",
    "py_files": "pyFiles",
    "archives": "archives",
    "packages": "packages",
    "exclude_packages": "excludePackages",
    "repositories": "repositories",
}
"""Field of a job's dependencies -> field of an application's."""


def spark_application(job: Job, target: JobTarget) -> Object:
    """The SparkApplication (sparkoperator.k8s.io/v1beta2) of a job on a cluster.

    Raises InvalidDocument with every mistake, a line each.
    """
    target = target.nodes_of(job.namespace)
    if mistakes := checks.mistakes(job, target):
        raise InvalidDocument("\n".join(f"{job.name}: {mistake}" for mistake in mistakes))
    return {
        "apiVersion": "sparkoperator.k8s.io/v1beta2",
        "kind": "SparkApplication",
        "metadata": {
            "name": job.name,
            "namespace": job.namespace,
            # The operator puts them on the pods, too.
            "labels": {**job.labels, **_labels(job)},
            "annotations": {
                **job.annotations,
                UI_URL: ui_url(job, target),
                HISTORY_URL: target.history_url,
                SHUFFLE: shuffle(job, target),
            },
        },
        "spec": _spec(job, target),
    }


def ui_url(job: Job, target: JobTarget) -> str:
    """Address of the UI while the job runs."""
    return f"{target.ui_scheme}://{ui_host(job.name, job.namespace, target.ui_domain)}"


def _labels(job: Job) -> dict[str, str]:
    organization, project = job.queue.split(".")
    return {
        **_workflow(job.workflow or ""),
        f"{LABEL_PREFIX}organization": organization,
        f"{LABEL_PREFIX}project": project,
        f"{LABEL_PREFIX}tier": str(job.tier),
    }


def _workflow(name: str) -> dict[str, str]:
    """What tells YuniKorn the workflow; nothing where that is no value of a label: Archer knows it."""
    return {WORKFLOW_LABEL: name} if LABEL_TEXT.fullmatch(name) else {}


def _spec(job: Job, target: JobTarget) -> Object:
    spec: Object = {
        "type": LANGUAGES[job.language],
        "mode": "cluster",
        "sparkVersion": RELEASES[job.spark_version].release,
        "image": job.image or target.images[job.spark_version],
        "mainApplicationFile": job.main_file,
        # The scheduler makes placeholders for the driver and the executors at the start. An application's id
        # in YuniKorn is Spark's own (label spark-app-selector), another one at each attempt.
        "batchScheduler": target.scheduler,
        "batchSchedulerOptions": {"queue": job.queue_path},
        "sparkConf": conf.configuration(job, target),
        "driver": {
            **_pod(job, target, "driver", job.driver),
            "serviceAnnotations": pods.prometheus_annotations("/metrics/prometheus/"),
        },
        "executor": {**_pod(job, target, "executor", job.executor), "deleteOnTermination": True},
        "restartPolicy": _restart(job),
        "timeToLiveSeconds": job.ttl_seconds,
    }
    if job.main_class:
        spec["mainClass"] = job.main_class
    if job.arguments:
        spec["arguments"] = list(job.arguments)
    if job.image_pull_secrets:
        spec["imagePullSecrets"] = list(job.image_pull_secrets)
    if dependencies := {
        key: value for field, key in DEPENDENCIES.items() if (value := getattr(job.dependencies, field))
    }:
        spec["deps"] = dependencies
    if job.executor.dynamic:
        spec["dynamicAllocation"] = {
            "enabled": True,
            "minExecutors": job.executor.dynamic.minimum,
            "maxExecutors": job.executor.dynamic.maximum,
            "initialExecutors": job.executor.dynamic.at_start,
            # The operator's default is true: with Celeborn it would keep executors for what they do not have.
            "shuffleTrackingEnabled": not on_celeborn(job, target),
        }
    else:
        spec["executor"]["instances"] = job.executor.at_start
    return spec


def _pod(job: Job, target: JobTarget, role: JobRole, pod: Driver | Executor) -> Object:
    pod_spec: Object = {
        "cores": pod.cores,
        "memory": f"{spark_mebibytes(pod.memory)}m",
        # In MiB, so that placeholders are as large as pods whatever share the operator computes with.
        "memoryOverhead": f"{overhead_mib(job, pod)}m",
        "serviceAccount": target.service_account,
        "annotations": pods.annotations(job, role),
        # For placeholders; the pods have it from their template.
        "nodeSelector": pods.node_selector(job, target, role),
        "tolerations": pods.tolerations(job, target, role),
        "template": pods.template(job, target, role),
    }
    if pod.core_request:
        pod_spec["coreRequest"] = pod.core_request
    if job.env:
        pod_spec["envVars"] = dict(job.env)
    if job.secrets:
        pod_spec["envSecretKeyRefs"] = {
            variable: {"name": secret.name, "key": secret.key} for variable, secret in job.secrets.items()
        }
    return pod_spec


def _restart(job: Job) -> Object:
    """A failed submission is not the job's fault, and is always repeated."""
    return {
        "type": "Always" if job.restart.policy == "always" else "OnFailure",
        "onFailureRetries": job.restart.retries if job.restart.policy == "on-failure" else 0,
        "onFailureRetryInterval": job.restart.seconds,
        "onSubmissionFailureRetries": 5,
        "onSubmissionFailureRetryInterval": 20,
    }
