"""The sidecar that uploads a driver's event log: its container, volume and mounts in the driver's template.

It is a native sidecar, an init container with `restartPolicy: Always` (kubernetes.io: Sidecar Containers;
stable since 1.33): it starts before the driver, does not keep the pod from ending, and gets SIGTERM when the
driver has ended, however that was (kubernetes: pkg/kubelet/kuberuntime/kuberuntime_termination_order.go).
"""

from typing import Any

from moka.jobs.job import Job
from moka.jobs.job_target import JobTarget
from moka.names import EVENT_LOG_FOLDER, EVENT_LOG_PORT, UPLOADER_CONTAINER

Object = dict[str, Any]

VOLUME = "event-logs"

VOLUME_MIB = 8 * 1024
"""Half of it holds 400 rolled files of 10 MiB, which are some 2 MiB each as they are compressed."""

MEMORY_MIB = 32
"""That it uses: 25 MiB were seen, whatever the size of the log. Drivers request it beside their own."""

MEMORY_LIMIT = "64Mi"


def container(job: Job, target: JobTarget) -> Object:
    """The sidecar of a job's driver."""
    uploader = target.event_log_uploader
    return {
        "name": UPLOADER_CONTAINER,
        "image": uploader.image,
        "restartPolicy": "Always",
        "args": [
            f"--{name}={value}"
            for name, value in {
                "folder": EVENT_LOG_FOLDER,
                "bucket": uploader.bucket,
                "region": uploader.region,
                "cluster": target.cluster,
                "namespace": job.namespace,
                "application": job.name,
                "seconds": uploader.seconds,
                "volume-mib": VOLUME_MIB,
            }.items()
        ],
        # No readiness probe: executors find the driver by a headless Service, which leaves out pods that are
        # not ready (apache/spark: DriverServiceFeatureStep.scala).
        "ports": [{"name": "event-logs", "containerPort": EVENT_LOG_PORT}],
        "livenessProbe": {"httpGet": {"path": "/healthz", "port": EVENT_LOG_PORT}, "periodSeconds": 60},
        # Written out, or a LimitRange's defaults are filled in. YuniKorn adds sidecars to a pod's size
        # (yunikorn-k8shim 1.8: pkg/common/resource.go), and the driver's container requests for both.
        "resources": {"requests": {"cpu": "0", "memory": "0"}, "limits": {"memory": MEMORY_LIMIT}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        },
        "volumeMounts": [mount()],
    }


def volume() -> Object:
    """The volume that Spark writes to, as large as the sidecar lets it become."""
    return {"name": VOLUME, "emptyDir": {"sizeLimit": f"{VOLUME_MIB}Mi"}}


def mount() -> Object:
    """The volume, as Spark and the sidecar see it."""
    return {"name": VOLUME, "mountPath": EVENT_LOG_FOLDER}
