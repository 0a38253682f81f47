"""Executors that a driver left behind which failed."""

from collections.abc import Mapping

from moka.names import APPLICATION_ID_LABEL
from services.common.kubernetes import Object


def unstarted(pod: Object) -> Mapping[str, str]:
    """Selectors of the executors of a driver that have not started; empty where there are none to delete.

    A driver ends its executors, and those that run end with it; of one that was killed, those that wait for a
    machine go on waiting, and take it, until their driver is deleted, whose they are
    (kubeflow/spark-operator#2961).
    """
    metadata = pod["metadata"]
    spark_id = (metadata.get("labels") or {}).get(APPLICATION_ID_LABEL)
    if (
        (pod.get("status") or {}).get("phase") != "Failed"
        or metadata.get("deletionTimestamp")
        or not spark_id
    ):
        return {}
    return {
        "labelSelector": f"{APPLICATION_ID_LABEL}={spark_id},spark-role=executor",
        "fieldSelector": "status.phase=Pending",
    }
