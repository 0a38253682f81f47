"""Pod templates of drivers and executors, with what the operator's webhook would have put into their pods."""

import json
from typing import Any

from moka.jobs import event_log_uploader
from moka.jobs.conf import GRACE_SECONDS
from moka.jobs.job import HostMount, Job
from moka.jobs.job_target import JobTarget
from moka.jobs.zones import executor_zone
from moka.machines.machine_capacity import JobRole
from moka.names import (
    DRIVER_CONTAINER,
    GPU,
    GPU_LABEL,
    JOB_NAMESPACE_LABEL,
    ROLE_LABEL,
    USER_INFO,
    ZONE_LABEL,
)
from moka.pages import UI_PORT

Object = dict[str, Any]

CONTAINERS: dict[JobRole, str] = {
    "driver": DRIVER_CONTAINER,
    "executor": "spark-kubernetes-executor",
}
"""Names by which the operator has Spark find its container in a template."""

SCRATCH_VOLUME = "spark-local-dir-1"
"""Volume for shuffle and spill; Spark uses every volume whose name begins like this."""

SCRATCH_FOLDER = "/var/data/spark-local"

NDOTS = 3
"""Dots from which a name is asked for as it is, before the cluster's domains are tried; Kubernetes has 5.

Names of S3 and STS have three or more; a driver's, `<name>.<namespace>.svc`, has two (apache/spark:
DriverServiceFeatureStep.scala), and with 2 would go out to the VPC's resolver first.
"""


def node_selector(job: Job, target: JobTarget, role: JobRole) -> dict[str, str]:
    """Nodes of the role, and of the job's architecture; with GPUs for executors that ask for some, and in the
    zone of the job's executors; the namespace's own where it has some.
    """
    selector: dict[str, str] = {ROLE_LABEL: role, **({GPU_LABEL: "true"} if has_gpus(job, role) else {})}
    if job.namespace in target.own_nodes:
        selector[JOB_NAMESPACE_LABEL] = job.namespace
    if job.architecture != "any":
        selector["kubernetes.io/arch"] = job.architecture
    if role == "executor" and (zone := executor_zone(job, target)):
        selector[ZONE_LABEL] = zone
    return selector


def has_gpus(job: Job, role: JobRole) -> bool:
    """Whether pods of a role ask for GPUs."""
    return role == "executor" and job.executor.gpus is not None


def tolerations(job: Job, target: JobTarget, role: JobRole) -> list[Object]:
    """Tolerations that let a pod onto nodes of the role, onto those with GPUs if it asks for some, and onto
    the namespace's own.
    """
    result: list[Object] = [_toleration(ROLE_LABEL, role)]
    if job.namespace in target.own_nodes:
        result.append(_toleration(JOB_NAMESPACE_LABEL, job.namespace))
    if has_gpus(job, role):
        result.append({"key": GPU, "operator": "Exists", "effect": "NoSchedule"})
    return result


def _toleration(key: str, value: str) -> Object:
    return {"key": key, "operator": "Equal", "value": value, "effect": "NoSchedule"}


def annotations(job: Job, role: JobRole) -> dict[str, str]:
    """Annotations of the pods of a role."""
    result = {
        # Cluster Autoscaler removes no node under a job.
        "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
    }
    if job.user is not None:
        result[USER_INFO] = json.dumps({"user": job.user, "groups": job.groups})
    if role == "driver":
        result |= prometheus_annotations("/metrics/executors/prometheus/")
    return result


def prometheus_annotations(path: str) -> dict[str, str]:
    """Annotations that say where a path of the driver's UI is, for collectors that go by them."""
    return {
        "prometheus.io/scrape": "true",
        "prometheus.io/port": str(UI_PORT),
        "prometheus.io/path": path,
    }


def executor_attributes(target: JobTarget) -> list[Object]:
    """Variables of executors of which Spark makes attributes: the History Server links logs by them.

    Spark itself adds APP_ID and EXECUTOR_ID on Kubernetes (apache/spark: BasicExecutorFeatureStep.scala).
    """
    values: dict[str, Object] = {
        "CLUSTER": {"value": target.cluster},
        "NAMESPACE": {"valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}},
        "POD_NAME": {"valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
    }
    return [{"name": f"SPARK_EXECUTOR_ATTRIBUTE_{name}", **value} for name, value in values.items()]


def propagation(mount: HostMount) -> Object:
    """The part of a volume mount by which pods see what their node mounts after they have started."""
    return {} if mount.propagation == "None" else {"mountPropagation": mount.propagation}


def template(job: Job, target: JobTarget, role: JobRole) -> Object:
    """Template of the pods of a role.

    Nothing here requests resources: a pod that requests more than the operator counted is larger than its
    placeholder, and YuniKorn then releases it (yunikorn-core 1.8: objects/application.go).
    """
    mounts: list[Object] = [{"name": SCRATCH_VOLUME, "mountPath": SCRATCH_FOLDER}]
    # On nodes with instance storage the kubelet's folder is on it, and so is this volume.
    volumes: list[Object] = [
        {"name": SCRATCH_VOLUME, "emptyDir": {"sizeLimit": f"{job.scratch_gib}Gi"} if job.scratch_gib else {}}
    ]
    for index, mount in enumerate(job.host_mounts, start=1):
        name = f"host-{index}"
        read_only = {"readOnly": mount.read_only}
        mounts.append({"name": name, "mountPath": mount.mount, **read_only, **propagation(mount)})
        volumes.append({"name": name, "hostPath": {"path": mount.path, "type": "Directory"}})
    metadata: Object = {}
    sidecars: Object = {}
    if role == "driver" and target.finalizer:
        metadata["finalizers"] = [target.finalizer]
    if role == "driver":
        mounts.append(event_log_uploader.mount())
        volumes.append(event_log_uploader.volume())
        sidecars["initContainers"] = [event_log_uploader.container(job, target)]
    return {
        "metadata": metadata,
        "spec": {
            "schedulerName": target.scheduler,
            "priorityClassName": target.priority_classes[job.tier],
            "nodeSelector": node_selector(job, target, role),
            "tolerations": tolerations(job, target, role),
            "terminationGracePeriodSeconds": GRACE_SECONDS[role],
            # Each running driver has a Service: as variables they fill the environment of every pod.
            "enableServiceLinks": False,
            # The kubelet puts it in place of its own (kubernetes/kubernetes: pkg/kubelet/network/dns/dns.go).
            "dnsConfig": {"options": [{"name": "ndots", "value": str(NDOTS)}]},
            "securityContext": {
                "runAsNonRoot": True,
                "runAsUser": job.uid,
                "runAsGroup": job.uid,
                "fsGroup": job.uid,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            **sidecars,
            "containers": [
                {
                    "name": CONTAINERS[role],
                    **({"env": executor_attributes(target)} if role == "executor" else {}),
                    "securityContext": {
                        "allowPrivilegeEscalation": False,
                        "capabilities": {"drop": ["ALL"]},
                    },
                    "volumeMounts": mounts,
                }
            ],
            "volumes": volumes,
        },
    }
