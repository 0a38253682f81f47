"""The SparkApplication of an attempt."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from moka.jobs.application import spark_application
from moka.jobs.job import Job, Restart
from moka.jobs.job_target import JobTarget
from moka.names import LABEL_PREFIX, YUNIKORN_ID_LABEL
from moka.submission.job_id import application_name, id_text, parse_id

JOB_LABEL = f"{LABEL_PREFIX}job"
"""Label of an application, and of its pods: id of the job. Only Archer's have it."""

ATTEMPT_LABEL = f"{LABEL_PREFIX}attempt"

FINALIZER = f"{LABEL_PREFIX}archer"
"""Of an application: it is there until its end is in the database."""

DEADLINE = f"{LABEL_PREFIX}create-before"
"""Annotation of an application: the API server does not take it later
(components/kubernetes/archer_deadline.py). A request that was held up on its way would make the application
of an attempt that has ended and is gone, a second time."""


def manifest(
    job: Job,
    target: JobTarget,
    job_id: UUID,
    attempt: int,
    user: str,
    groups: Sequence[str] = (),
    *,
    deadline: datetime,
) -> dict[str, Any]:
    """The SparkApplication of an attempt of a job, which the operator tries once: further tries are attempts.

    user, groups: who submitted it, in whose name it runs whatever the job says.
    deadline: after which it is not made any more, with its time zone.
    Raises InvalidDocument with every mistake, a line each.
    """
    name = application_name(job.name, job_id, attempt)
    application = spark_application(
        job.model_copy(update={"name": name, "user": user, "groups": list(groups), "restart": Restart()}),
        target,
    )
    metadata = application["metadata"]
    metadata["labels"] |= {
        JOB_LABEL: id_text(job_id),
        ATTEMPT_LABEL: str(attempt),
        # So that usage is that of an application by its name.
        YUNIKORN_ID_LABEL: name,
    }
    metadata["annotations"] = {
        **metadata.get("annotations", {}),
        DEADLINE: deadline.isoformat(timespec="seconds"),
    }
    metadata["finalizers"] = [FINALIZER]
    application["spec"]["restartPolicy"] = {"type": "Never"}
    return application


def attempt_of(application: Mapping[str, Any]) -> tuple[UUID, int] | None:
    """Job and attempt of an application; None of one that is not Archer's."""
    labels = application["metadata"].get("labels") or {}
    job, attempt = parse_id(labels.get(JOB_LABEL, "")), labels.get(ATTEMPT_LABEL, "")
    return (job, int(attempt)) if job and attempt.isdecimal() else None
