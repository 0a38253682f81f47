"""When the finalizer of a driver pod can go: once its SparkApplication has read how it ended, or never will.

Driver pods carry the finalizer because Kubernetes deletes finished pods past a number, and the Spark
Operator takes a driver that is gone before it saw its end for a failure. The states and what the operator
does in them are those of its 2.5, `internal/controller/sparkapplication/controller.go`.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from moka.names import APPLICATION_LABEL, DRIVER_CONTAINER, DRIVER_FINALIZER
from services.common.kubernetes import Object

SUBMISSION_LABEL = "sparkoperator.k8s.io/submission-id"
"""Label that the operator has Spark put on a driver: which submission it is of."""

TERMINAL_STATES = frozenset({"COMPLETED", "FAILED"})
"""States in which the operator reads nothing any more."""

STATES_PAST_DRIVER = frozenset(
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

SUBMISSION_GRACE = timedelta(minutes=10)
"""How long a driver can be there before its submission is in the application's status: `spark-submit` has
made it and the operator has yet to write so. Seconds; the rest is for an operator that starts anew."""

FORCED_DELETION_GRACE = timedelta(minutes=2)
"""How long the phase of a driver that was deleted without a grace period may take to say that it ended. Who
ends pods, kubelet or the pod garbage collector, says so before the deletion; who forces it does not."""


MOUNT_GRACE = timedelta(minutes=10)
"""How long a driver that has a node can be without the ConfigMap that it mounts. `spark-submit` makes it a
moment after the pod (apache/spark: KubernetesClientApplication.scala, Client.run)."""


def has_finalizer(pod: Object) -> bool:
    """Whether the pod carries our finalizer."""
    return DRIVER_FINALIZER in (pod["metadata"].get("finalizers") or [])


def application_name(pod: Object) -> str | None:
    """Name of the SparkApplication whose driver the pod is, in the same namespace."""
    return _labels(pod).get(APPLICATION_LABEL)


def release_reason(
    pod: Object, application: Object | None, now: datetime, namespace_deleted: bool = False
) -> str | None:
    """Why the finalizer can go from a driver pod, in words for a log; None while it has to stay.

    application: the one that the pod's label names, read after the pod was; None when there is none.
    namespace_deleted: whether their namespace is being deleted: pods go before all else that is in it.
    """
    if namespace_deleted:
        return "its namespace is being deleted"
    if application_name(pod) is None:
        return "it belongs to no application"
    if application is None:
        return "its application is gone"
    if not _owns(application, pod):
        return "its application is gone, and another has its name"
    if application["metadata"].get("deletionTimestamp"):
        return "its application is being deleted"
    return _deletion_reason(pod, now) or _application_reason(pod, application, now)


def ended_or_deleted(pod: Object) -> bool:
    """Whether the pod has ended or is being deleted: only then is its finalizer in anybody's way."""
    # The operator goes by the driver's container, while others of the pod may still run.
    containers = (pod.get("status") or {}).get("containerStatuses") or []
    terminated = any(
        container.get("name") == DRIVER_CONTAINER and "terminated" in (container.get("state") or {})
        for container in containers
    )
    return _has_ended(pod) or terminated or _deletion_time(pod) is not None


def awaited_config_maps(pod: Object, now: datetime) -> list[str]:
    """ConfigMaps that a driver mounts which has had time to start, and has not; else none.

    Who made it may have ended before it made them: the driver then waits for ever.
    """
    created = _creation_time(pod)
    spec, status = pod.get("spec") or {}, pod.get("status") or {}
    if status.get("phase") != "Pending" or not spec.get("nodeName") or _deletion_time(pod) is not None:
        return []
    if created is None or now - created < MOUNT_GRACE:
        return []
    volumes = [volume["configMap"] for volume in spec.get("volumes") or () if "configMap" in volume]
    return [volume["name"] for volume in volumes if not volume.get("optional")]


def application_state(application: Object) -> str:
    """State of an application; empty for a new one."""
    return str(((application.get("status") or {}).get("applicationState") or {}).get("state") or "")


def is_of_latest_submission(pod: Object, application: Object) -> bool:
    """Whether a driver is that of which its application tells."""
    return _labels(pod).get(SUBMISSION_LABEL) == latest_submission(application)


def latest_submission(application: Object) -> str:
    """The latest submission of an application; empty when there was none."""
    return str((application.get("status") or {}).get("submissionID") or "")


def _deletion_reason(pod: Object, now: datetime) -> str | None:
    """Why a pod that is being deleted will never say how it ended."""
    deletion = _deletion_time(pod)
    if deletion is None or _has_ended(pod):
        return None
    if not (pod.get("spec") or {}).get("nodeName"):
        return "it was deleted before it had a node"
    forced = pod["metadata"].get("deletionGracePeriodSeconds") == 0
    if forced and now - deletion > FORCED_DELETION_GRACE:
        return "it was deleted by force"
    return None


def _application_reason(pod: Object, application: Object, now: datetime) -> str | None:
    """Why its application needs the pod no more."""
    if not ended_or_deleted(pod):
        # The operator deletes those that it is done with, and does not know of all that run
        # (services/driver_finalizer/lifetime.py).
        return None
    state = application_state(application)
    if state in TERMINAL_STATES:
        return f"its application is {state}"
    if is_of_latest_submission(pod, application):
        return f"its application is {state}" if state in STATES_PAST_DRIVER else None
    # Either of an earlier submission, or of one that the operator has yet to write down.
    attempt = _time((application.get("status") or {}).get("lastSubmissionAttemptTime"))
    created = _creation_time(pod)
    if attempt is not None and created is not None and created <= attempt:
        return "its application has been submitted anew"
    deletion = _deletion_time(pod)
    if deletion is not None and now - deletion > SUBMISSION_GRACE:
        return "its application never recorded its submission"
    return None


def _owns(application: Object, pod: Object) -> bool:
    references = pod["metadata"].get("ownerReferences") or []
    owners = [owner["uid"] for owner in references if owner.get("kind") == "SparkApplication"]
    if owners:
        return application["metadata"]["uid"] in owners
    application_time, pod_time = _creation_time(application), _creation_time(pod)
    return application_time is None or pod_time is None or application_time <= pod_time


def _labels(pod: Object) -> Mapping[str, str]:
    return pod["metadata"].get("labels") or {}


def _has_ended(pod: Object) -> bool:
    return (pod.get("status") or {}).get("phase") in {"Succeeded", "Failed"}


def _creation_time(item: Object) -> datetime | None:
    return _time(item["metadata"].get("creationTimestamp"))


def _deletion_time(pod: Object) -> datetime | None:
    return _time(pod["metadata"].get("deletionTimestamp"))


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text).astimezone(UTC) if text else None
