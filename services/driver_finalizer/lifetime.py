"""How long an application lives that the operator gave up while its driver runs.

An operator that is started anew while it submits does not know of the driver that is there, submits once
more, is told "driver pod already exist", and says FAILED where it is to try only once, as with Archer (seen;
kubeflow/spark-operator v2.5.2, internal/controller/sparkapplication: runSparkSubmit,
reconcileFailedSubmissionSparkApplication). After `timeToLiveSeconds` from then it would delete the
application, and with it the driver, at work or not. So that is off while the driver runs, and counts from its
end.

Where the operator ended between the driver's pod and the ConfigMap that it mounts, that driver never starts,
and is deleted (rules.awaited_config_maps): the application is FAILED already.
"""

from datetime import UTC, datetime
from typing import Any

from moka.names import LIFETIME
from services.common.kubernetes import Object
from services.driver_finalizer.rules import TERMINAL_STATES, application_state, ended_or_deleted


def suspension(pod: Object, application: Object) -> dict[str, Any] | None:
    """Merge patch of an application that has it outlive its driver; None where nothing is to be done."""
    seconds = application["spec"].get("timeToLiveSeconds")
    if seconds is None or ended_or_deleted(pod) or application_state(application) not in TERMINAL_STATES:
        return None
    return _patch(application, None, str(seconds))


def resumption(application: Object, now: datetime) -> dict[str, Any] | None:
    """Merge patch that has it live on as long as it was to, from now; None where it does already."""
    seconds = (application["metadata"].get("annotations") or {}).get(LIFETIME)
    ended = (application.get("status") or {}).get("terminationTime")
    if seconds is None or not ended:
        return None
    past = now - datetime.fromisoformat(ended).astimezone(UTC)
    return _patch(application, int(past.total_seconds()) + int(seconds), None)


def _patch(application: Object, seconds: int | None, annotation: str | None) -> dict[str, Any]:
    metadata = {"uid": application["metadata"]["uid"], "annotations": {LIFETIME: annotation}}
    return {"metadata": metadata, "spec": {"timeToLiveSeconds": seconds}}
