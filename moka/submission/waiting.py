"""Why a job waits: a word for programs, and a sentence for people."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from moka.submission.breaker import Breaker
from moka.submission.job_id import id_text
from moka.submission.states import ENDED, State, Wanted
from moka.submission.token_bucket import TokenBucket

COUNTED = 10_000
"""Jobs before one are counted up to so many."""


class Wait(StrEnum):
    """What a job waits for.

    nothing: it runs, or has ended. scheduler: the scheduler has its pods, and has said nothing of them.
    """

    NOTHING = "nothing"
    STOP = "stop"
    REPLACED_JOB = "replaced job"
    PAUSE = "pause"
    NO_CLUSTER = "no cluster"
    PLACING = "placing"
    CLUSTER_CORDONED = "cluster cordoned"
    CLUSTER_AWAY = "cluster away"
    TURN = "turn"
    PACE = "pace"
    OPERATOR_BUSY = "operator busy"
    SUBMISSION = "submission"
    SCHEDULER = "scheduler"
    QUEUE_FULL = "queue full"
    USER_LIMIT = "user limit"
    MAX_APPLICATIONS = "max applications"
    NO_MACHINE = "no machine"
    IMAGE = "image"
    START = "start"


VAGUE = frozenset({Wait.SCHEDULER, Wait.MAX_APPLICATIONS})
"""Concluded from silence: what the scheduler has once said of the same attempt is worth more, as Kubernetes
forgets it after an hour (kube-apiserver, --event-ttl)."""


@dataclass(frozen=True)
class Waiting:
    """What a job waits for, and the sentence for people."""

    word: Wait
    message: str


@dataclass(frozen=True, kw_only=True)
class Pace:
    """How an operator is doing.

    rate: applications a second. unacknowledged: that it has not looked at; most: that it may have of these.
    bucket: of it, or of the namespace, whichever is emptier.
    """

    operator: str
    rate: float
    unacknowledged: int
    most: int
    bucket: TokenBucket


@dataclass(frozen=True, kw_only=True)
class Known:
    """What Archer's database knows of a job and of what is around it.

    now: of the database. now_seconds: the same, since 1970. since: it is in its state. because: of the last
    event, where that says why it was sent back. before: jobs that are before it, of its queue and tier in its
    namespace, up to COUNTED. told: what was seen on the cluster, of this attempt.
    """

    state: State
    wanted: Wanted | None
    now: datetime
    now_seconds: float
    since: datetime
    attempt: int
    tried: bool
    acknowledged: bool
    after: UUID | None = None
    due: datetime | None = None
    because: str = ""
    cluster: str | None = None
    movable: bool = False
    cordoned: str | None = None
    breaker: Breaker = field(default_factory=Breaker)
    pace: Pace | None = None
    before: int = 0
    told: Waiting | None = None


def waiting(known: Known, unplaced: str = "") -> Waiting:
    """Why a job waits.

    unplaced: why no cluster would take it now.
    """
    if known.state in ENDED:
        return Waiting(Wait.NOTHING, f"it has ended: {known.state}")
    if known.wanted not in (None, Wanted.RUN):
        return Waiting(Wait.STOP, "it is being stopped, as was asked")
    match known.state:
        case State.ACCEPTED:
            return _accepted(known, unplaced)
        case State.QUEUED:
            return _queued(known)
        case State.SUBMITTING:
            return Waiting(Wait.SUBMISSION, f"its application is being made on {known.cluster}")
        case State.SUBMITTED:
            return _submitted(known)
        case _:
            return Waiting(Wait.NOTHING, "it runs")


def _accepted(known: Known, unplaced: str) -> Waiting:
    if known.after is not None:
        return Waiting(
            Wait.REPLACED_JOB, f"it begins once job {id_text(known.after)} has ended, which it replaces"
        )
    paused = known.due is not None and known.due > known.now
    if paused and known.because:
        return Waiting(
            Wait.PAUSE, f"attempt {known.attempt} begins at {_clock(known.due)}, as before: {known.because}"
        )
    if unplaced:
        return Waiting(Wait.NO_CLUSTER, unplaced)
    return Waiting(Wait.PLACING, "a cluster is being chosen for it")


def _queued(known: Known) -> Waiting:
    before = _jobs(known.before)
    if known.cordoned is not None:
        moves = known.movable and not known.tried
        then = "it goes to another" if moves else "it may run nowhere else"
        return Waiting(Wait.CLUSTER_CORDONED, f"{known.cluster} takes no jobs ({known.cordoned}), and {then}")
    if known.breaker.is_open(known.now_seconds):
        return Waiting(
            Wait.CLUSTER_AWAY,
            f"the API server of {known.cluster} does not answer; it is tried again within a minute",
        )
    pace = known.pace
    if pace is None:
        return Waiting(Wait.TURN, f"{before} of its queue and tier are before it on {known.cluster}")
    if pace.unacknowledged >= pace.most:
        return Waiting(
            Wait.OPERATOR_BUSY,
            f"operator {pace.operator} has {pace.unacknowledged} applications that it has not looked at, and "
            f"gets no more before it has; {before} of its queue and tier are before it",
        )
    if pace.bucket.filled(known.now_seconds).tokens < 1:
        return Waiting(
            Wait.PACE,
            f"operator {pace.operator} gets {pace.rate * 60:g} applications a minute; {before} of its queue "
            "and tier are before it",
        )
    return Waiting(Wait.TURN, f"{before} of its queue and tier are before it on {known.cluster}")


def _submitted(known: Known) -> Waiting:
    if known.acknowledged:
        return known.told or Waiting(
            Wait.SCHEDULER, "its application is with the operator; its pods were not seen yet"
        )
    if known.pace is None:
        return Waiting(Wait.OPERATOR_BUSY, "the operator has not looked at its application yet")
    return Waiting(
        Wait.OPERATOR_BUSY,
        f"operator {known.pace.operator} has not looked at its application yet, of "
        f"{known.pace.unacknowledged} that it has to",
    )


def _jobs(count: int) -> str:
    if count >= COUNTED:
        return f"{COUNTED} jobs or more"
    return f"{count or 'no'} job{'' if count == 1 else 's'}"


def _clock(at: datetime | None) -> str:
    return f"{at:%H:%M:%S} UTC" if at else "once it is due"
