"""Why a job is in its state, in a word that programs read, and which of them another attempt may cure."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

Fault = Literal["infrastructure", "user code", "queue"]


class Reason(StrEnum):
    """Why a job came to its state."""

    TAKEN = "taken"
    PLACED = "placed"
    NO_CLUSTER = "no cluster"
    MOVED = "moved"
    CLAIMED = "claimed"
    CREATED = "created"
    REFUSED_FOR_NOW = "refused for now"
    LEASE_ENDED = "lease ended"
    STARTED = "started"
    SUCCEEDED = "succeeded"
    PROGRAM_FAILED = "program failed"
    OUT_OF_MEMORY = "out of memory"
    DEADLINE_EXCEEDED = "deadline exceeded"
    IMAGE_UNAVAILABLE = "image unavailable"
    NODE_LOST = "node lost"
    EVICTED = "evicted"
    PREEMPTED = "preempted"
    QUEUE_REFUSED = "queue refused"
    SUBMISSION_FAILED = "submission failed"
    DRIVER_LOST = "driver lost"
    APPLICATION_REFUSED = "application refused"
    APPLICATION_REMOVED = "application removed"
    NAMESPACE_DELETED = "namespace deleted"
    CLUSTER_LEFT = "cluster left"
    STOPPED = "stopped"
    REPLACED = "replaced"
    RETRIED = "retried"


FAULTS: Mapping[Reason, Fault] = {
    Reason.PROGRAM_FAILED: "user code",
    Reason.OUT_OF_MEMORY: "user code",
    Reason.NODE_LOST: "infrastructure",
    Reason.EVICTED: "infrastructure",
    Reason.PREEMPTED: "infrastructure",
    Reason.QUEUE_REFUSED: "queue",
    Reason.SUBMISSION_FAILED: "infrastructure",
    Reason.DRIVER_LOST: "infrastructure",
}
"""Reason of an attempt's end -> whose fault it was; after any other the job does not run again."""


@dataclass(frozen=True)
class Retries:
    """Attempts after the first, by whose fault the last one's end was.

    pause_seconds: before the first of them; doubled with each, up to an hour.
    """

    infrastructure: int = 3
    user_code: int = 0
    pause_seconds: int = 60


LONGEST_PAUSE_SECONDS = 3600

QUEUE_PAUSE_SECONDS = 900
"""Until a job is tried again that its queue could not have: queues change by the hour."""

QUEUE_ATTEMPTS = 1 + 24 * 3600 // QUEUE_PAUSE_SECONDS
"""Of a job, until a queue has had every hour of a day: attempts for other reasons are among them."""


def retry_pause(
    reason: Reason, failed: Mapping[Fault, int], retries: Retries, attempts: int = 1
) -> int | None:
    """Seconds until the next attempt; None where there is to be none.

    failed: attempts that have ended so far, the last one included, by whose fault: the job's or that of
    machines. attempts: that have ended so far, whatever the reason.
    """
    fault = FAULTS.get(reason)
    if fault is None:
        return None
    if fault == "queue":
        return QUEUE_PAUSE_SECONDS if attempts < QUEUE_ATTEMPTS else None
    most = retries.infrastructure if fault == "infrastructure" else retries.user_code
    if failed[fault] > most:
        return None
    pause: int = retries.pause_seconds * 2 ** min(failed[fault] - 1, 12)
    return min(pause, LONGEST_PAUSE_SECONDS)
