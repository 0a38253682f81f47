"""What a SparkApplication and its driver pod say of an attempt."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from moka.names import DRIVER_CONTAINER
from moka.submission.reasons import Reason
from moka.submission.states import State

Object = Mapping[str, Any]

RUNNING = frozenset({"RUNNING", "SUCCEEDING", "FAILING"})
"""States of an application whose driver has started; in the last two the operator has read its end, and has
not come round to saying so (kubeflow/spark-operator, api/v1beta2/sparkapplication_types.go)."""

FAILED = frozenset({"FAILED", "SUBMISSION_FAILED"})
ENDS = FAILED | {"COMPLETED"}

POD_REASONS: Mapping[str, Reason] = {
    "Evicted": Reason.EVICTED,
    "NodeLost": Reason.NODE_LOST,
    "NodeShutdown": Reason.NODE_LOST,
    "Terminated": Reason.NODE_LOST,
    "Preempting": Reason.PREEMPTED,
    "DeadlineExceeded": Reason.DEADLINE_EXCEEDED,
    "ApplicationRejected": Reason.QUEUE_REFUSED,
}
"""Reason in a pod's status -> ours (kubernetes/kubernetes, pkg/kubelet; the last is YuniKorn's:
apache/yunikorn-k8shim, pkg/common/constants, ApplicationRejectedFailure)."""

DISRUPTIONS: Mapping[str, Reason] = {
    "PreemptionByScheduler": Reason.PREEMPTED,
    "DeletionByTaintManager": Reason.NODE_LOST,
    "DeletionByPodGC": Reason.NODE_LOST,
    "EvictionByEvictionAPI": Reason.EVICTED,
    "TerminationByKubelet": Reason.NODE_LOST,
}
"""Reason of a pod's condition DisruptionTarget -> ours
(https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions)."""

EXIT = re.compile(r"driver container failed with ExitCode: (\d+), Reason: (\w+)", re.IGNORECASE)
"""What the operator writes of a driver that failed."""

OUT_OF_MEMORY_EXIT = 52
"""Of Spark's own: SparkExitCode.OOM."""


@dataclass(frozen=True)
class Observation:
    """What is seen of an attempt.

    message: for people; what the system that knows it said. spark_id: Spark's id of the run, once it has one.
    """

    state: State
    reason: Reason
    message: str = ""
    spark_id: str | None = None


def observe(
    application: Object | None, driver: Object | None, namespace_deleted: bool = False
) -> Observation:
    """What an application and its driver pod are, now.

    None for what is not there. A driver knows better than the operator how it ended, and the operator better
    than nobody.
    """
    spark_id = _spark_id(application)
    if driver is not None and (end := _driver_end(driver)):
        state, reason, message = end
        # The operator is to read a success first: it then removes executors, and its own.
        waits = application is not None and not deleted(application)
        if state is State.SUCCEEDED and waits and _operator_state(application) not in ENDS:
            return Observation(State.RUNNING, Reason.STARTED, spark_id=spark_id)
        return Observation(state, reason, message, spark_id)
    if application is None or (deleted(application) and _operator_state(application) not in ENDS):
        if driver is not None:
            return Observation(*_progress(driver), spark_id=spark_id)
        if namespace_deleted:
            return Observation(State.LOST, Reason.NAMESPACE_DELETED, "its namespace was deleted", spark_id)
        return Observation(
            State.LOST, Reason.APPLICATION_REMOVED, "its application was removed, not by Archer", spark_id
        )
    return _operator_word(application, driver, spark_id)


def _operator_word(application: Object, driver: Object | None, spark_id: str | None) -> Observation:
    state, message = _operator_state(application), _error(application)
    if state == "COMPLETED":
        return Observation(State.SUCCEEDED, Reason.SUCCEEDED, "", spark_id)
    if state in FAILED:
        if driver is not None and not deleted(driver):
            # "driver pod already exists", after the operator was started anew: it goes on all the same.
            return Observation(*_progress(driver), message, spark_id)
        if code := EXIT.search(message):
            return Observation(State.FAILED, _exit_reason(int(code[1]), code[2]), message, spark_id)
        if state == "SUBMISSION_FAILED" or not spark_id:
            return Observation(State.FAILED, Reason.SUBMISSION_FAILED, message, spark_id)
        return Observation(State.FAILED, Reason.DRIVER_LOST, message or "its driver is gone", spark_id)
    if state in RUNNING:
        return Observation(State.RUNNING, Reason.STARTED, "", spark_id)
    return Observation(State.SUBMITTED, Reason.CREATED, "", spark_id)


def _progress(driver: Object) -> tuple[State, Reason]:
    """How far a driver is that has not ended."""
    started = (driver.get("status") or {}).get("phase") == "Running"
    return (State.RUNNING, Reason.STARTED) if started else (State.SUBMITTED, Reason.CREATED)


def _driver_end(driver: Object) -> tuple[State, Reason, str] | None:
    """How a driver ended; None while it has not."""
    status = driver.get("status") or {}
    phase, message = status.get("phase"), status.get("message") or ""
    if phase == "Succeeded":
        return State.SUCCEEDED, Reason.SUCCEEDED, ""
    if phase != "Failed":
        return None
    for condition in status.get("conditions") or ():
        if (condition["type"], condition["status"]) == ("DisruptionTarget", "True"):
            reason = DISRUPTIONS.get(condition.get("reason", ""), Reason.NODE_LOST)
            return State.FAILED, reason, condition.get("message") or message
    if pod_reason := POD_REASONS.get(status.get("reason", "")):
        return State.FAILED, pod_reason, message
    ended = _container_end(status)
    if ended is None:
        return State.FAILED, Reason.DRIVER_LOST, message or "its driver failed, and does not say how"
    code, word = ended.get("exitCode", 1), ended.get("reason", "Error")
    words = f"exit code {code} ({word})" + (f": {ended['message']}" if ended.get("message") else "")
    return State.FAILED, _exit_reason(code, word), words


def _container_end(status: Object) -> Object | None:
    for container in status.get("containerStatuses") or ():
        if container["name"] == DRIVER_CONTAINER:
            ended: Object | None = (container.get("state") or {}).get("terminated")
            return ended
    return None


def _exit_reason(code: int, word: str) -> Reason:
    return (
        Reason.OUT_OF_MEMORY if word == "OOMKilled" or code == OUT_OF_MEMORY_EXIT else Reason.PROGRAM_FAILED
    )


def deleted(item: Object) -> bool:
    """Whether somebody has deleted an object, which a finalizer may keep for a while."""
    return bool(item["metadata"].get("deletionTimestamp"))


def acknowledged(application: Object) -> bool:
    """Whether the operator has looked at an application."""
    return bool(_operator_state(application))


def needs_driver(application: Object) -> bool:
    """Whether an application says less than its driver does."""
    return deleted(application) or _operator_state(application) in FAILED


def driver_name(application: Object) -> str:
    """Name of the driver pod: as the operator says, or as it calls it."""
    reported_name: str | None = ((application.get("status") or {}).get("driverInfo") or {}).get("podName")
    return reported_name or f"{application['metadata']['name']}-driver"


def _operator_state(application: Object | None) -> str:
    status = (application or {}).get("status") or {}
    return (status.get("applicationState") or {}).get("state") or ""


def _error(application: Object) -> str:
    return ((application.get("status") or {}).get("applicationState") or {}).get("errorMessage") or ""


def _spark_id(application: Object | None) -> str | None:
    return ((application or {}).get("status") or {}).get("sparkApplicationId") or None
