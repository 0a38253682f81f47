"""How jobs go from state to state, each change with its event, in one statement for many jobs.

A change holds only where the job is still in a state that the new one may follow
(moka/submission/states.py), in the attempt, and for a worker in the claim, that it was decided for: whoever
comes late changes nothing. So all of them can be repeated.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from moka.submission.reasons import FAULTS, Fault, Reason
from moka.submission.states import ENDED, FOLLOWING, DesiredState, State
from services.archer.database.pool import Connection
from services.archer.database.rows import columns, unnested

EVENT_ROWS = """
  INSERT INTO events (job, number, state, attempt, reason, message)
  SELECT id, event, state, attempt, reason, message FROM moves
"""
"""The event of each job that moves."""

ATTEMPT_ROWS = """
  INSERT INTO attempts (job, number, cluster, namespace, application)
  SELECT id, attempt, cluster, namespace, application FROM moves
  ON CONFLICT DO NOTHING
"""
"""The attempt of each job that moves, which has an application now."""


def _before(*states: State) -> str:
    """SQL: a job is in a state that any of these may follow."""
    before = [state for state in State if FOLLOWING[state] >= set(states)]
    return "active.state IN ({})".format(", ".join(f"'{state}'" for state in before))


def _fault(fault: Fault) -> str:
    """SQL: a reason of the input is this fault's."""
    reasons = [reason for reason in Reason if FAULTS.get(reason) == fault]
    return "input.reason IN ({})".format(", ".join(f"'{reason}'" for reason in reasons))


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where an accepted job is to go.

    queue, architecture: its own, or what its route gives it. movable: it may go elsewhere while it waits.
    """

    job: UUID
    cluster: str
    namespace: str
    queue: str
    architecture: str
    movable: bool


PLACE = f"""
WITH input AS ({unnested(Place, "input")}), moves AS (
  UPDATE active SET state = 'queued', event = event + 1, since = now(), due = NULL, cluster = input.cluster,
    namespace = input.namespace, queue = input.queue, movable = input.movable
  FROM input
  WHERE active.id = input.job AND active.state = '{State.ACCEPTED}'
  RETURNING active.id, event, state, attempt, '{Reason.PLACED}' AS reason, input.cluster AS message
), routes AS (
  UPDATE jobs SET queue = input.queue, architecture = input.architecture
  FROM input JOIN moves ON moves.id = input.job
  WHERE jobs.id = input.job
    AND (jobs.queue, jobs.architecture) IS DISTINCT FROM (input.queue, input.architecture)
), event_rows AS ({EVENT_ROWS})
SELECT id FROM moves
"""


async def place(connection: Connection, places: Sequence[Place]) -> set[UUID]:
    """accepted -> queued."""
    return await _ids(
        connection,
        PLACE,
        *columns(Place, places),
    )


POSTPONE = """
UPDATE active SET due = now() + make_interval(secs => $2) WHERE id = ANY($1::uuid[]) AND state = 'accepted'
RETURNING id
"""


async def postpone(connection: Connection, jobs: Sequence[UUID], seconds: float) -> set[UUID]:
    """Accepted jobs that have no cluster now are looked at again later."""
    return await _ids(connection, POSTPONE, list(jobs), seconds)


@dataclass(frozen=True, kw_only=True)
class Release:
    """A claimed job that got no application, or of which that is not known.

    seconds: until it is tried again. bound: its application may be on the cluster, so that it has to be tried
    there again, and nowhere else.
    """

    job: UUID
    claim: int
    reason: Reason
    message: str
    seconds: float
    bound: bool


RELEASE = f"""
WITH input AS ({unnested(Release, "input")}), moves AS (
  UPDATE active SET state = 'accepted', event = event + 1, since = now(), claimed_until = NULL,
    due = now() + make_interval(secs => input.seconds), tried = input.bound,
    cluster = CASE WHEN input.bound THEN cluster END
  FROM input
  WHERE active.id = input.job AND active.claim = input.claim AND active.state = '{State.SUBMITTING}'
  RETURNING active.id, event, state, attempt, input.reason, input.message
), event_rows AS ({EVENT_ROWS})
SELECT id FROM moves
"""


async def release(connection: Connection, releases: Sequence[Release]) -> set[UUID]:
    """submitting -> accepted."""
    return await _ids(
        connection,
        RELEASE,
        *columns(Release, releases),
    )


RECLAIM = f"""
WITH overdue AS (
  SELECT id FROM active WHERE state = 'submitting' AND claimed_until < now() LIMIT $1 FOR UPDATE SKIP LOCKED
), moves AS (
  UPDATE active SET state = 'queued', event = event + 1, since = now(), claimed_until = NULL
  FROM overdue WHERE active.id = overdue.id
  RETURNING active.id, event, state, attempt, '{Reason.LEASE_ENDED}' AS reason,
    'its worker did not say what became of it' AS message
), event_rows AS ({EVENT_ROWS})
SELECT id FROM moves
"""


async def reclaim(connection: Connection, most: int = 500) -> set[UUID]:
    """submitting -> queued, on the same cluster, where a worker did not come back in time."""
    return await _ids(connection, RECLAIM, most)


UNPLACE = f"""
WITH waiting AS (
  SELECT id FROM active WHERE state = 'queued' AND cluster = $1 AND (movable OR $4) AND NOT tried
    AND wanted = 'run'
  LIMIT $3 FOR UPDATE SKIP LOCKED
), moves AS (
  UPDATE active SET state = 'accepted', event = event + 1, since = now(), due = now(), cluster = NULL
  FROM waiting WHERE active.id = waiting.id
  RETURNING active.id, event, state, attempt, '{Reason.MOVED}' AS reason, $2::text AS message
), event_rows AS ({EVENT_ROWS})
SELECT id FROM moves
"""


async def unplace(
    connection: Connection, cluster: str, because: str, most: int = 500, *, routed: bool = False
) -> set[UUID]:
    """queued -> accepted: jobs of a cluster that takes none now, and that may go elsewhere.

    routed: those as well whose route names the cluster.
    """
    return await _ids(connection, UNPLACE, cluster, because, most, routed)


@dataclass(frozen=True, kw_only=True)
class NewApplication:
    """A job whose application is on its cluster."""

    job: UUID
    claim: int
    application: str


RECORD_APPLICATIONS = f"""
WITH input AS ({unnested(NewApplication, "input")}), moves AS (
  UPDATE active SET state = 'submitted', event = event + 1, since = now(), claimed_until = NULL
  FROM input
  WHERE active.id = input.job AND active.claim = input.claim AND {_before(State.SUBMITTED)}
  RETURNING active.id, event, state, attempt, cluster, namespace, input.application,
    '{Reason.CREATED}' AS reason, input.application AS message
), attempt_rows AS ({ATTEMPT_ROWS}), event_rows AS ({EVENT_ROWS})
SELECT id FROM moves
"""


async def record_applications(connection: Connection, jobs: Sequence[NewApplication]) -> set[UUID]:
    """submitting -> submitted."""
    return await _ids(
        connection,
        RECORD_APPLICATIONS,
        *columns(NewApplication, jobs),
    )


@dataclass(frozen=True, kw_only=True)
class FoundApplication:
    """An application of an attempt that is on a cluster, whatever its worker said."""

    job: UUID
    attempt: int
    cluster: str
    namespace: str
    application: str


RECORD_FOUND = f"""
WITH input AS ({unnested(FoundApplication, "input")}), moves AS (
  UPDATE active SET state = 'submitted', event = event + 1, since = now(), claimed_until = NULL
  FROM input
  WHERE active.id = input.job AND active.attempt = input.attempt AND active.cluster = input.cluster
    AND tried AND active.state IN ('accepted', 'queued', 'submitting')
  RETURNING active.id, event, state, active.attempt, input.cluster, input.namespace, input.application,
    '{Reason.CREATED}' AS reason, input.application AS message
), attempt_rows AS ({ATTEMPT_ROWS}), event_rows AS ({EVENT_ROWS})
SELECT id FROM moves
"""


async def record_found(connection: Connection, applications: Sequence[FoundApplication]) -> set[UUID]:
    """Whatever was before -> submitted."""
    return await _ids(
        connection,
        RECORD_FOUND,
        *columns(FoundApplication, applications),
    )


@dataclass(frozen=True, kw_only=True)
class DriverStart:
    """A job whose driver runs."""

    job: UUID
    attempt: int
    spark_id: str | None


RECORD_STARTS = f"""
WITH input AS ({unnested(DriverStart, "input")}), moves AS (
  UPDATE active SET state = 'running', event = event + 1, since = now(), acknowledged = true
  FROM input
  WHERE active.id = input.job AND active.attempt = input.attempt AND {_before(State.RUNNING)}
  RETURNING active.id, event, state, active.attempt, input.spark_id,
    '{Reason.STARTED}' AS reason, '' AS message
), attempt_starts AS (
  UPDATE attempts SET started = now(), spark_id = moves.spark_id FROM moves
  WHERE attempts.job = moves.id AND attempts.number = moves.attempt
), event_rows AS ({EVENT_ROWS})
SELECT id FROM moves
"""


async def record_starts(connection: Connection, jobs: Sequence[DriverStart]) -> set[UUID]:
    """submitted -> running."""
    return await _ids(
        connection,
        RECORD_STARTS,
        *columns(DriverStart, jobs),
    )


@dataclass(frozen=True, kw_only=True)
class End:
    """How an attempt ended.

    pause_seconds: until there is another; None where the job has ended with it.
    """

    job: UUID
    attempt: int
    state: State
    reason: Reason
    message: str = ""
    spark_id: str | None = None
    pause_seconds: float | None = None


ATTEMPT_ENDS = """
  UPDATE attempts SET ended = now(), state = input.state, reason = moves.reason, message = moves.message,
    spark_id = coalesce(input.spark_id, attempts.spark_id)
  FROM input JOIN moves ON moves.id = input.job
  WHERE attempts.job = input.job AND attempts.number = input.attempt
"""

RETRY = f"""
WITH input AS ({unnested(End, "input")}), moves AS (
  UPDATE active SET state = 'accepted', event = event + 1, since = now(), attempt = active.attempt + 1,
    claimed_until = NULL, acknowledged = false, tried = false, cluster = NULL,
    due = now() + make_interval(secs => input.pause_seconds),
    ready = now() + make_interval(secs => input.pause_seconds),
    infrastructure_failures = infrastructure_failures + ({_fault("infrastructure")})::int,
    user_code_failures = user_code_failures + ({_fault("user code")})::int
  FROM input
  WHERE active.id = input.job AND active.attempt = input.attempt AND active.wanted = 'run'
    AND {_before(State.ACCEPTED)}
  RETURNING active.id, event, active.state, active.attempt, input.reason, input.message
), attempt_ends AS ({ATTEMPT_ENDS}), event_rows AS ({EVENT_ROWS})
SELECT id FROM moves
"""

END = f"""
WITH input AS ({unnested(End, "input")}), moves AS (
  DELETE FROM active USING input
  WHERE active.id = input.job AND active.attempt = input.attempt AND active.state NOT IN ({
    ", ".join(f"'{state}'" for state in sorted(ENDED))
})
  -- Who stopped it has said why.
  RETURNING active.id, event + 1 AS event, input.state, active.attempt, active.cluster,
    CASE WHEN input.state = '{State.CANCELLED}' THEN coalesce(stop_reason, input.reason) ELSE input.reason END
      AS reason,
    CASE WHEN input.state = '{State.CANCELLED}' THEN coalesce(stop_message, input.message) ELSE input.message
    END AS message
), job_ends AS (
  UPDATE jobs SET state = moves.state, reason = moves.reason, message = moves.message,
    cluster = moves.cluster, attempts = moves.attempt, ended = now(),
    started = (SELECT min(started) FROM attempts WHERE attempts.job = moves.id)
  FROM moves WHERE jobs.id = moves.id
), attempt_ends AS ({ATTEMPT_ENDS}), followers AS (
  UPDATE active SET after = NULL, due = now() FROM moves WHERE active.after = moves.id
), event_rows AS ({EVENT_ROWS})
SELECT id FROM moves
"""


async def record_ends(connection: Connection, ends: Iterable[End]) -> set[UUID]:
    """An attempt has ended: its job as well, or it goes back to accepted for another."""
    retries = [end for end in ends if end.pause_seconds is not None]
    finals = [end for end in ends if end.pause_seconds is None]
    retry_ids = await _ids(connection, RETRY, *columns(End, retries)) if retries else set()
    return retry_ids | (await _ids(connection, END, *columns(End, finals)) if finals else set())


WANT = f"""
WITH changes AS (
  UPDATE active SET wanted = $2, event = event + 1, stop_reason = $3, stop_message = $4
  WHERE id = ANY($1::uuid[]) AND wanted <> $2 AND wanted <> '{DesiredState.DELETE}'
  RETURNING id, event, state, attempt, tried, $3::text AS reason, $4::text AS message
), event_rows AS (
  INSERT INTO events (job, number, state, attempt, reason, message)
  SELECT id, event, state, attempt, reason, message FROM changes
)
SELECT id, attempt, tried FROM changes
"""


async def want(
    connection: Connection, jobs: Sequence[UUID], desired_state: DesiredState, reason: Reason, message: str
) -> set[UUID]:
    """What is wanted of jobs from now on; those that have no application are cancelled at once."""
    await connection.fetch("SELECT id FROM active WHERE id = ANY($1::uuid[]) ORDER BY id FOR UPDATE", jobs)
    rows = await connection.fetch(WANT, list(jobs), desired_state, reason, message)
    untried = [row for row in rows if not row["tried"]]
    if untried:
        await record_ends(
            connection,
            [
                End(
                    job=row["id"],
                    attempt=row["attempt"],
                    state=State.CANCELLED,
                    reason=reason,
                    message=message,
                )
                for row in untried
            ],
        )
    return {row["id"] for row in rows}


async def _ids(connection: Connection, statement: str, *arguments: object) -> set[UUID]:
    return {row["id"] for row in await connection.fetch(statement, *arguments)}
