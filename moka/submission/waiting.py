"""Why a job waits: a word for programs, and a sentence for people."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from moka.submission.breaker import Breaker
from moka.submission.job_id import id_text
from moka.submission.states import ENDED, DesiredState, State
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
class WaitReason:
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
class JobFacts:
    """What Archer's database knows of a job and of what is around it.

    now: of the database. now_seconds: the same, since 1970. since: it is in its state. because: of the last
    event, where that says why it was sent back. before: jobs that are before it, of its queue and tier in its
    namespace, up to COUNTED. observed_wait: what was seen on the cluster, of this attempt.
    """

    state: State
    wanted: DesiredState | None
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
    observed_wait: WaitReason | None = None


def wait_reason(facts: JobFacts, unplaced: str = "") -> WaitReason:
    """Why a job waits.

    unplaced: why no cluster would take it now.
    """
    if facts.state in ENDED:
        return WaitReason(Wait.NOTHING, f"it has ended: {facts.state}")
    if facts.wanted not in (None, DesiredState.RUN):
        return WaitReason(Wait.STOP, "it is being stopped, as was asked")
    match facts.state:
        case State.ACCEPTED:
            return _accepted(facts, unplaced)
        case State.QUEUED:
            return _queued(facts)
        case State.SUBMITTING:
            return WaitReason(Wait.SUBMISSION, f"its application is being made on {facts.cluster}")
        case State.SUBMITTED:
            return _submitted(facts)
        case _:
            return WaitReason(Wait.NOTHING, "it runs")


def _accepted(facts: JobFacts, unplaced: str) -> WaitReason:
    if facts.after is not None:
        return WaitReason(
            Wait.REPLACED_JOB, f"it begins once job {id_text(facts.after)} has ended, which it replaces"
        )
    paused = facts.due is not None and facts.due > facts.now
    if paused and facts.because:
        return WaitReason(
            Wait.PAUSE, f"attempt {facts.attempt} begins at {_clock(facts.due)}, as before: {facts.because}"
        )
    if unplaced:
        return WaitReason(Wait.NO_CLUSTER, unplaced)
    return WaitReason(Wait.PLACING, "a cluster is being chosen for it")


def _queued(facts: JobFacts) -> WaitReason:
    before = _jobs(facts.before)
    if facts.cordoned is not None:
        moves = facts.movable and not facts.tried
        then = "it goes to another" if moves else "it may run nowhere else"
        return WaitReason(
            Wait.CLUSTER_CORDONED, f"{facts.cluster} takes no jobs ({facts.cordoned}), and {then}"
        )
    if facts.breaker.is_open(facts.now_seconds):
        return WaitReason(
            Wait.CLUSTER_AWAY,
            f"the API server of {facts.cluster} does not answer; it is tried again within a minute",
        )
    pace = facts.pace
    if pace is None:
        return WaitReason(Wait.TURN, f"{before} of its queue and tier are before it on {facts.cluster}")
    if pace.unacknowledged >= pace.most:
        return WaitReason(
            Wait.OPERATOR_BUSY,
            f"operator {pace.operator} has {pace.unacknowledged} applications that it has not looked at, and "
            f"gets no more before it has; {before} of its queue and tier are before it",
        )
    if pace.bucket.filled(facts.now_seconds).tokens < 1:
        return WaitReason(
            Wait.PACE,
            f"operator {pace.operator} gets {pace.rate * 60:g} applications a minute; {before} of its queue "
            "and tier are before it",
        )
    return WaitReason(Wait.TURN, f"{before} of its queue and tier are before it on {facts.cluster}")


def _submitted(facts: JobFacts) -> WaitReason:
    if facts.acknowledged:
        return facts.observed_wait or WaitReason(
            Wait.SCHEDULER, "its application is with the operator; its pods were not seen yet"
        )
    if facts.pace is None:
        return WaitReason(Wait.OPERATOR_BUSY, "the operator has not looked at its application yet")
    return WaitReason(
        Wait.OPERATOR_BUSY,
        f"operator {facts.pace.operator} has not looked at its application yet, of "
        f"{facts.pace.unacknowledged} that it has to",
    )


def _jobs(count: int) -> str:
    if count >= COUNTED:
        return f"{COUNTED} jobs or more"
    return f"{count or 'no'} job{'' if count == 1 else 's'}"


def _clock(at: datetime | None) -> str:
    return f"{at:%H:%M:%S} UTC" if at else "once it is due"
