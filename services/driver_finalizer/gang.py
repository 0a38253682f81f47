"""What a driver says of its gang, which YuniKorn is to read once only.

Each start of YuniKorn makes placeholders for every driver whose annotation asks for some, though it runs: it
sees no pod of the gang that is bound yet (apache/yunikorn-k8shim v1.8.0, pkg/cache/application.go:
skipReservationStage). Machines are bought for them. Nothing else reads the annotation.
"""

from typing import Any

from moka.names import APPLICATION_ID_LABEL, YUNIKORN_ID_LABEL
from services.common.kubernetes import Object

TASK_GROUPS = "yunikorn.apache.org/task-groups"
"""Annotation of a driver, from the Spark Operator: how many pods of which size start together."""


def has_task_groups(pod: Object) -> bool:
    """Whether a driver runs, and would have its gang made anew."""
    running = (pod.get("status") or {}).get("phase") == "Running"
    return running and TASK_GROUPS in (pod["metadata"].get("annotations") or {})


def placeholder_selector(pod: Object) -> str:
    """Label selector of the placeholders of a driver's gang; Spark's own pods say which role they have."""
    labels = pod["metadata"].get("labels") or {}
    # In the order in which YuniKorn looks for it: pkg/common/utils, GetApplicationIDFromPod.
    application_id = labels.get(YUNIKORN_ID_LABEL) or labels.get(APPLICATION_ID_LABEL, "")
    return f"{YUNIKORN_ID_LABEL}={application_id},!spark-role"


def task_groups_removal(pod: Object) -> list[dict[str, Any]]:
    """JSON patch that takes the annotation off, if the pod is still this one."""
    key = TASK_GROUPS.replace("/", "~1")
    return [
        {"op": "test", "path": "/metadata/uid", "value": pod["metadata"]["uid"]},
        {"op": "remove", "path": f"/metadata/annotations/{key}"},
    ]
