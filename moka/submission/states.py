"""States of a submitted job, and which follows which."""

from collections.abc import Mapping
from enum import StrEnum


class State(StrEnum):
    """What is seen of a job.

    accepted: it is in the database, and nothing else is decided; also between two attempts.
    queued: a cluster is chosen for it.
    submitting: a worker has it.
    submitted: its application is on the cluster.
    running: its driver runs.
    lost: its application is gone, and nothing tells how it ended.
    """

    ACCEPTED = "accepted"
    QUEUED = "queued"
    SUBMITTING = "submitting"
    SUBMITTED = "submitted"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    LOST = "lost"


class DesiredState(StrEnum):
    """What its owner wants of a job, whatever is seen of it.

    stop: it is to end. delete: its application is to be removed as well.
    """

    RUN = "run"
    STOP = "stop"
    DELETE = "delete"


_ENDS = frozenset({State.SUCCEEDED, State.FAILED, State.CANCELLED, State.LOST})

FOLLOWING: Mapping[State, frozenset[State]] = {
    # A job that is stopped before it has an application, or whose last attempt there is none after.
    # Submitted, without a worker that says so: its application was found on the cluster.
    State.ACCEPTED: frozenset({State.QUEUED, State.SUBMITTED, State.CANCELLED, State.FAILED}),
    # Back where its cluster is cordoned or away, and it may move.
    State.QUEUED: frozenset({State.ACCEPTED, State.SUBMITTING, State.SUBMITTED, State.CANCELLED}),
    # Back to the queue when the worker is gone, or the cluster refuses for now.
    State.SUBMITTING: frozenset({State.ACCEPTED, State.QUEUED, State.SUBMITTED, *_ENDS}),
    State.SUBMITTED: frozenset({State.RUNNING, State.ACCEPTED, *_ENDS}),
    # Back to the start for another attempt.
    State.RUNNING: frozenset({State.ACCEPTED, *_ENDS}),
    **dict.fromkeys(_ENDS, frozenset()),
}
"""State -> those that may follow it."""

ENDED = _ENDS
"""States that none follows."""

ON_CLUSTER = frozenset({State.SUBMITTED, State.RUNNING})
"""States of a job that has an application, as far as is known."""


def may_follow(state: State, following: State) -> bool:
    """Whether a job may go from one state to the other."""
    return following in FOLLOWING[state]
