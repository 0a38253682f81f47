"""Records of the same thing made one: what comes late, again, or from several sources.

Of two records of an application each column keeps what says more, by an order that has nothing to do with
which came first: the earlier start, the later end, the larger amount, the outcome of whoever knows more, the
text that is not empty. So records can be merged in any order and as often as one likes.
"""

from collections.abc import Iterable
from dataclasses import replace

from moka.usage.records import JOB_STATES, OUTCOMES, Application, Attempt, Gap, Interval, Job, Usage


def applications(records: Iterable[Application]) -> list[Application]:
    """Each application once, in the order of their keys."""
    merged: dict[tuple[str, str, int], Application] = {}
    for record in records:
        known = merged.get(record.key)
        merged[record.key] = _tidy(record) if known is None else application(known, record)
    return [merged[key] for key in sorted(merged)]


def application(one: Application, other: Application) -> Application:
    """What two records of an application say of it. Raises ValueError for records of two."""
    if one.key != other.key:
        raise ValueError(f"{one.key} and {other.key} are two applications")
    # The names of a queue go together.
    queue = max(
        one, other, key=lambda record: (record.queue, record.organization, record.project, record.tier)
    )
    return Application(
        cluster=one.cluster,
        application=one.application,
        submitted=one.submitted,
        started=min((at for at in (one.started, other.started) if at is not None), default=None),
        finished=max((at for at in (one.finished, other.finished) if at is not None), default=None),
        user_name=max(one.user_name, other.user_name),
        workflow=max(one.workflow, other.workflow),
        queue=queue.queue,
        organization=queue.organization,
        project=queue.project,
        tier=queue.tier,
        namespace=max(one.namespace, other.namespace),
        usage=_usage(one.usage + other.usage),
        outcome=max(one.outcome, other.outcome, key=_rank),
        sources=tuple(sorted({*one.sources, *other.sources})),
    )


def intervals(records: Iterable[Interval]) -> list[Interval]:
    """Each interval once, in the order of their keys: of two that begin at one time the larger amounts."""
    merged: dict[tuple[str, str, str, str, int], Interval] = {}
    for record in records:
        merged[record.key] = _interval(merged.get(record.key, record), record)
    return [merged[key] for key in sorted(merged)]


def gaps(records: Iterable[Gap]) -> list[Gap]:
    """Each gap once, in the order of their keys: of two that begin at one time, the longer one."""
    longest: dict[tuple[str, int], Gap] = {}
    for record in records:
        known = longest.get(record.key, record)
        longest[record.key] = max(known, record, key=lambda gap: (gap.ended, gap.says))
    return [longest[key] for key in sorted(longest)]


def jobs(records: Iterable[Job]) -> list[Job]:
    """Each job once, in the order of their keys."""
    merged: dict[tuple[str], Job] = {}
    for record in records:
        merged[record.key] = job(merged.get(record.key, record), record)
    return [merged[key] for key in sorted(merged)]


def job(one: Job, other: Job) -> Job:
    """What two records of a job say of it. Raises ValueError for records of two."""
    if one.key != other.key:
        raise ValueError(f"{one.key} and {other.key} are two jobs")
    queue = max(
        one, other, key=lambda record: (record.queue, record.organization, record.project, record.tier)
    )
    return Job(
        cluster=max(one.cluster, other.cluster),
        job=one.job,
        accepted=min(one.accepted, other.accepted),
        ended=max(one.ended, other.ended),
        name=max(one.name, other.name),
        user_name=max(one.user_name, other.user_name),
        workflow=max(one.workflow, other.workflow),
        queue=queue.queue,
        organization=queue.organization,
        project=queue.project,
        tier=queue.tier,
        state=max(one.state, other.state, key=_job_rank),
        reason=max(one.reason, other.reason),
        attempts=_attempts(one.attempts + other.attempts),
    )


def _interval(one: Interval, other: Interval) -> Interval:
    return replace(
        one,
        ended=max(one.ended, other.ended),
        cpu=max(one.cpu, other.cpu),
        memory=max(one.memory, other.memory),
        gpu=max(one.gpu, other.gpu),
        applications=max(one.applications, other.applications),
        allocations=max(one.allocations, other.allocations),
    )


def _tidy(record: Application) -> Application:
    return application(record, record)


def _rank(outcome: str) -> tuple[int, str]:
    return (OUTCOMES.index(outcome) if outcome in OUTCOMES else 0), outcome


def _job_rank(state: str) -> tuple[int, str]:
    return (JOB_STATES.index(state) + 1 if state in JOB_STATES else 0), state


def _attempts(attempts: Iterable[Attempt]) -> tuple[Attempt, ...]:
    """Each application once."""
    largest: dict[tuple[int, str, str], Attempt] = {}
    for attempt in attempts:
        key = attempt.number, attempt.cluster, attempt.application
        known = largest.get(key)
        if known is None or _attempt_order(attempt) > _attempt_order(known):
            largest[key] = attempt
    return tuple(largest[key] for key in sorted(largest))


def _attempt_order(attempt: Attempt) -> tuple[int, int, int, tuple[int, str], str]:
    ended, started = (-1 if at is None else at for at in (attempt.ended, attempt.started))
    return ended, started, attempt.submitted, _job_rank(attempt.state), attempt.reason


def _usage(parts: Iterable[Usage]) -> tuple[Usage, ...]:
    """The largest amounts of each kind and type of machine."""
    largest: dict[tuple[str, str], Usage] = {}
    for part in parts:
        key = part.kind, part.instance_type
        known = largest.get(key, part)
        largest[key] = Usage(
            kind=part.kind,
            instance_type=part.instance_type,
            cpu=max(known.cpu, part.cpu),
            memory=max(known.memory, part.memory),
            gpu=max(known.gpu, part.gpu),
        )
    return tuple(sorted(largest.values()))
