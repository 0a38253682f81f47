"""What a driver says of its gang, which YuniKorn is to read once only.

Each start of YuniKorn makes placeholders for every driver whose annotation asks for some, though it runs: it
sees no pod of the gang that is bound yet (apache/yunikorn-k8shim v1.8.0, pkg/cache/application.go:
skipReservationStage). Machines are bought for them. Nothing else reads the annotation.
"""

from collections.abc import Mapping
from typing import Any

from moka.names import APPLICATION_ID_LABEL, YUNIKORN_ID_LABEL
from services.common.kubernetes import Object

TASK_GROUPS = "yunikorn.apache.org/task-groups"
"""Annotation of a driver, from the Spark Operator: how many pods of which size start together."""


def has_task_groups(pod: Object) -> bool:
    """Whether a driver runs, and would have its gang made anew."""
    running = (pod.get("status") or {}).get("phase") == "Running"
    return running and TASK_GROUPS in (pod["metadata"].get("annotations") or {})


def placeholders(pod: Object) -> Mapping[str, str]:
    """Selectors of the placeholders of a driver's gang that have not ended.

    Spark's own pods say which role they have.
    """
    labels, annotations = (pod["metadata"].get(field) or {} for field in ("labels", "annotations"))
    # In the order in which YuniKorn looks for it: pkg/common/utils, GetApplicationIDFromPod.
    application_id = (
        labels.get(YUNIKORN_ID_LABEL)
        or annotations.get(YUNIKORN_ID_LABEL)
        or labels.get("applicationId")
        or labels.get(APPLICATION_ID_LABEL, "")
    )
    return {
        "labelSelector": f"{YUNIKORN_ID_LABEL}={application_id},!spark-role",
        # One that the kubelet refused stays as long as its driver.
        "fieldSelector": "status.phase!=Failed,status.phase!=Succeeded",
    }


def task_groups_removal(pod: Object) -> list[dict[str, Any]]:
    """JSON patch that takes the annotation off, if the pod is still this one."""
    key = TASK_GROUPS.replace("/", "~1")
    return [
        {"op": "test", "path": "/metadata/uid", "value": pod["metadata"]["uid"]},
        {"op": "remove", "path": f"/metadata/annotations/{key}"},
    ]
