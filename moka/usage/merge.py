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
        duplicate = merged.get(record.key)
        merged[record.key] = _tidy(record) if duplicate is None else application(duplicate, record)
    return [merged[key] for key in sorted(merged)]


def application(first: Application, second: Application) -> Application:
    """What two records of an application say of it. Raises ValueError for records of two."""
    if first.key != second.key:
        raise ValueError(f"{first.key} and {second.key} are two applications")
    # The names of a queue go together.
    queue = max(
        first, second, key=lambda record: (record.queue, record.organization, record.project, record.tier)
    )
    return Application(
        cluster=first.cluster,
        application=first.application,
        submitted=first.submitted,
        started=min((at for at in (first.started, second.started) if at is not None), default=None),
        finished=max((at for at in (first.finished, second.finished) if at is not None), default=None),
        user_name=max(first.user_name, second.user_name),
        workflow=max(first.workflow, second.workflow),
        queue=queue.queue,
        organization=queue.organization,
        project=queue.project,
        tier=queue.tier,
        namespace=max(first.namespace, second.namespace),
        usage=_usage(first.usage + second.usage),
        outcome=max(first.outcome, second.outcome, key=_rank),
        sources=tuple(sorted({*first.sources, *second.sources})),
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
        duplicate = longest.get(record.key, record)
        longest[record.key] = max(duplicate, record, key=lambda gap: (gap.ended, gap.says))
    return [longest[key] for key in sorted(longest)]


def jobs(records: Iterable[Job]) -> list[Job]:
    """Each job once, in the order of their keys."""
    merged: dict[tuple[str], Job] = {}
    for record in records:
        merged[record.key] = job(merged.get(record.key, record), record)
    return [merged[key] for key in sorted(merged)]


def job(first: Job, second: Job) -> Job:
    """What two records of a job say of it. Raises ValueError for records of two."""
    if first.key != second.key:
        raise ValueError(f"{first.key} and {second.key} are two jobs")
    queue = max(
        first, second, key=lambda record: (record.queue, record.organization, record.project, record.tier)
    )
    return Job(
        cluster=max(first.cluster, second.cluster),
        job=first.job,
        accepted=min(first.accepted, second.accepted),
        ended=max(first.ended, second.ended),
        name=max(first.name, second.name),
        user_name=max(first.user_name, second.user_name),
        workflow=max(first.workflow, second.workflow),
        queue=queue.queue,
        organization=queue.organization,
        project=queue.project,
        tier=queue.tier,
        state=max(first.state, second.state, key=_job_rank),
        reason=max(first.reason, second.reason),
        attempts=_attempts(first.attempts + second.attempts),
    )


def _interval(first: Interval, second: Interval) -> Interval:
    return replace(
        first,
        ended=max(first.ended, second.ended),
        cpu=max(first.cpu, second.cpu),
        memory=max(first.memory, second.memory),
        gpu=max(first.gpu, second.gpu),
        applications=max(first.applications, second.applications),
        allocations=max(first.allocations, second.allocations),
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
        duplicate = largest.get(key)
        if duplicate is None or _attempt_order(attempt) > _attempt_order(duplicate):
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
        usage = largest.get(key, part)
        largest[key] = Usage(
            kind=part.kind,
            instance_type=part.instance_type,
            cpu=max(usage.cpu, part.cpu),
            memory=max(usage.memory, part.memory),
            gpu=max(usage.gpu, part.gpu),
        )
    return tuple(sorted(largest.values()))
