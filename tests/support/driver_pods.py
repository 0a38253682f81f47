"""Driver pods and applications, as the API server answers them."""

from datetime import UTC, datetime, timedelta

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def at(seconds_ago):
    return (NOW - timedelta(seconds=seconds_ago)).strftime("%Y-%m-%dT%H:%M:%SZ")


def driver(
    *,
    phase="Running",
    submission="s1",
    created=600,
    deleted=None,
    grace=30,
    node="node-1",
    owner="app-uid",
    labels=None,
    finalizers=("moka.dev/driver",),
    containers=(),
    annotations=None,
):
    """A driver pod; `created` and `deleted` in seconds ago."""
    metadata = {
        "name": "job-driver",
        "namespace": "etl",
        "uid": "pod-uid",
        "creationTimestamp": at(created),
        "finalizers": list(finalizers),
        "labels": {
            "spark-role": "driver",
            "sparkoperator.k8s.io/app-name": "job",
            "sparkoperator.k8s.io/submission-id": submission,
        }
        if labels is None
        else labels,
    }
    if annotations is not None:
        metadata["annotations"] = dict(annotations)
    if owner:
        metadata["ownerReferences"] = [{"kind": "SparkApplication", "name": "job", "uid": owner}]
    if deleted is not None:
        metadata |= {"deletionTimestamp": at(deleted), "deletionGracePeriodSeconds": grace}
    return {
        "metadata": metadata,
        "spec": {"nodeName": node} if node else {},
        "status": {"phase": phase, "containerStatuses": list(containers)},
    }


def application(
    state="RUNNING",
    *,
    submission="s1",
    attempt=610,
    uid="app-uid",
    created=700,
    deleted=False,
    ended=None,
    ttl=None,
):
    """A SparkApplication; `attempt`, `created` and `ended` in seconds ago; `ttl` in seconds."""
    metadata = {"name": "job", "namespace": "etl", "uid": uid, "creationTimestamp": at(created)}
    if deleted:
        metadata["deletionTimestamp"] = at(1)
    status = {"applicationState": {"state": state}, "submissionID": submission}
    if attempt is not None:
        status["lastSubmissionAttemptTime"] = at(attempt)
    if ended is not None:
        status["terminationTime"] = at(ended)
    return {
        "metadata": metadata,
        "spec": {} if ttl is None else {"timeToLiveSeconds": ttl},
        "status": status,
    }


def new_application():
    """One that the operator has yet to submit, or is just submitting: it has no status at all."""
    return {**application(), "status": {}}
