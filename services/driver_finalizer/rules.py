"""When a driver pod may go: once its SparkApplication has read how it ended, or never will.

Driver pods carry the finalizer because Kubernetes deletes finished pods past a number, and the Spark
Operator takes a driver that is gone before it saw its end for a failure. The states and what the operator
does in them are those of its 2.5, `internal/controller/sparkapplication/controller.go`.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from moka.names import DRIVER_CONTAINER, DRIVER_FINALIZER

APPLICATION = "sparkoperator.k8s.io/app-name"
SUBMISSION = "sparkoperator.k8s.io/submission-id"
"""Labels that the operator has Spark put on a driver."""

OVER = frozenset({"COMPLETED", "FAILED"})
"""States in which nothing is read any more."""

PAST_DRIVER = frozenset(
    {
        "SUCCEEDING",
        "FAILING",
        "SUBMISSION_FAILED",
        "INVALIDATING",
        "PENDING_RERUN",
        "SUSPENDING",
        "SUSPENDED",
        "RESUMING",
    }
)
"""States in which the driver of the latest submission is not read any more. From most of them, the operator
deletes it, and waits until it is gone before it submits anew: holding it would be forever."""

SUBMITTING = timedelta(minutes=10)
"""How long a driver can be there before its submission is in the application's status: `spark-submit` has
made it and the operator has yet to write so. Seconds; the rest is for an operator that starts anew."""

FORCED = timedelta(minutes=2)
"""How long the phase of a driver that was deleted without a grace period may take to say that it ended. Who
ends pods, kubelet or the pod garbage collector, says so before the deletion; who forces it does not."""

Object = Mapping[str, Any]


def held(pod: Object) -> bool:
    """Whether the pod carries our finalizer."""
    return DRIVER_FINALIZER in (pod["metadata"].get("finalizers") or [])


def application_name(pod: Object) -> str | None:
    """Name of the SparkApplication whose driver the pod is, in the same namespace."""
    return _labels(pod).get(APPLICATION)


def why_released(
    pod: Object, application: Object | None, now: datetime, namespace_going: bool = False
) -> str | None:
    """Why the finalizer is to go from a driver pod, in words for a log; None while it has to stay.

    application: the one that the pod's label names, read after the pod was; None when there is none.
    namespace_going: whether their namespace is being deleted: pods go before all else that is in it.
    """
    if namespace_going:
        return "its namespace is being deleted"
    if application_name(pod) is None:
        return "it is no application's"
    if application is None:
        return "its application is gone"
    if not _owns(application, pod):
        return "its application is gone, and another has its name"
    if application["metadata"].get("deletionTimestamp"):
        return "its application is being deleted"
    return _told(pod, now) or _read(pod, application, now)


def over(pod: Object) -> bool:
    """Whether the pod has ended or is being deleted: only then is its finalizer in anybody's way."""
    containers = (pod.get("status") or {}).get("containerStatuses") or []
    driver = [one for one in containers if one.get("name") == DRIVER_CONTAINER]
    stopped = any("terminated" in (one.get("state") or {}) for one in driver)
    return _ended(pod) or stopped or _deleted(pod) is not None


def state_of(application: Object) -> str:
    """State of an application; empty for a new one."""
    return str(((application.get("status") or {}).get("applicationState") or {}).get("state") or "")


def submission_of(application: Object) -> str:
    """The latest submission of an application; empty when there was none."""
    return str((application.get("status") or {}).get("submissionID") or "")


def _told(pod: Object, now: datetime) -> str | None:
    """Why nothing more will be heard of a pod whose deletion is under way."""
    deleted = _deleted(pod)
    if deleted is None or _ended(pod):
        return None
    if not (pod.get("spec") or {}).get("nodeName"):
        return "it was deleted before it had a node"
    if pod["metadata"].get("deletionGracePeriodSeconds") == 0 and now - deleted > FORCED:
        return "it was deleted by force"
    return None


def _read(pod: Object, application: Object, now: datetime) -> str | None:
    """Why its application needs the pod no more."""
    state = state_of(application)
    if state in OVER:
        return f"its application is {state}"
    if _labels(pod).get(SUBMISSION) == submission_of(application):
        return f"its application is {state}" if state in PAST_DRIVER else None
    # Either of an earlier submission, or of one that the operator has yet to write down.
    attempt = _time((application.get("status") or {}).get("lastSubmissionAttemptTime"))
    made = _time(pod["metadata"].get("creationTimestamp"))
    if attempt is not None and made is not None and made <= attempt:
        return "its application has been submitted anew"
    deleted = _deleted(pod)
    if deleted is not None and now - deleted > SUBMITTING:
        return "no submission of its application's has taken it up"
    return None


def _owns(application: Object, pod: Object) -> bool:
    owners = [
        one for one in pod["metadata"].get("ownerReferences") or [] if one.get("kind") == "SparkApplication"
    ]
    if owners:
        return any(one["uid"] == application["metadata"]["uid"] for one in owners)
    born, made = (_time(one["metadata"].get("creationTimestamp")) for one in (application, pod))
    return born is None or made is None or born <= made


def _labels(pod: Object) -> Mapping[str, str]:
    return pod["metadata"].get("labels") or {}


def _ended(pod: Object) -> bool:
    return (pod.get("status") or {}).get("phase") in {"Succeeded", "Failed"}


def _deleted(pod: Object) -> datetime | None:
    return _time(pod["metadata"].get("deletionTimestamp"))


def _time(said: str | None) -> datetime | None:
    return datetime.fromisoformat(said).astimezone(UTC) if said else None
