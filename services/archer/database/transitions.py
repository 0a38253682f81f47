"""How jobs go from state to state, each change with its event, in one statement for many jobs.

A change holds only where the job is still in a state that the new one may follow
(moka/submission/states.py), in the attempt, and for a worker in the claim, that it was decided for: whoever
comes late changes nothing. So all of them can be repeated.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from moka.submission.reasons import FAULTS, Reason
from moka.submission.states import ENDED, FOLLOWING, DesiredState, State
from services.archer.database.pool import Connection

TOLD = """
  INSERT INTO events (job, number, state, attempt, reason, message)
  SELECT id, event, state, attempt, reason, message FROM moved
"""
"""The event of each job that `moved`."""

APPLIED = """
  INSERT INTO attempts (job, number, cluster, namespace, application)
  SELECT id, attempt, cluster, namespace, application FROM moved
  ON CONFLICT DO NOTHING
"""
"""The attempt of each job that `moved`, which has an application now."""


def _before(*states: State) -> str:
    """SQL: a job is in a state that any of these may follow."""
    before = [state for state in State if FOLLOWING[state] >= set(states)]
    return "active.state IN ({})".format(", ".join(f"'{state}'" for state in before))


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
WITH given AS (
  SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::boolean[])
    AS given (id, cluster, namespace, queue, architecture, movable)
), moved AS (
  UPDATE active SET state = 'queued', event = event + 1, since = now(), due = NULL, cluster = given.cluster,
    namespace = given.namespace, queue = given.queue, movable = given.movable
  FROM given
  WHERE active.id = given.id AND active.state = '{State.ACCEPTED}'
  RETURNING active.id, event, state, attempt, '{Reason.PLACED}' AS reason, given.cluster AS message
), routed AS (
  UPDATE jobs SET queue = given.queue, architecture = given.architecture
  FROM given JOIN moved USING (id)
  WHERE jobs.id = given.id
    AND (jobs.queue, jobs.architecture) IS DISTINCT FROM (given.queue, given.architecture)
), told AS ({TOLD})
SELECT id FROM moved
"""


async def place(connection: Connection, places: Sequence[Place]) -> set[UUID]:
    """accepted -> queued."""
    return await _ids(
        connection,
        PLACE,
        [place.job for place in places],
        [place.cluster for place in places],
        [place.namespace for place in places],
        [place.queue for place in places],
        [place.architecture for place in places],
        [place.movable for place in places],
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
WITH given AS (
  SELECT * FROM unnest(
    $1::uuid[], $2::integer[], $3::text[], $4::text[], $5::double precision[], $6::boolean[]
  ) AS given (id, claim, reason, message, seconds, bound)
), moved AS (
  UPDATE active SET state = 'accepted', event = event + 1, since = now(), claimed_until = NULL,
    due = now() + make_interval(secs => given.seconds), tried = given.bound,
    cluster = CASE WHEN given.bound THEN cluster END
  FROM given
  WHERE active.id = given.id AND active.claim = given.claim AND active.state = '{State.SUBMITTING}'
  RETURNING active.id, event, state, attempt, given.reason, given.message
), told AS ({TOLD})
SELECT id FROM moved
"""


async def release(connection: Connection, releases: Sequence[Release]) -> set[UUID]:
    """submitting -> accepted."""
    return await _ids(
        connection,
        RELEASE,
        [release.job for release in releases],
        [release.claim for release in releases],
        [release.reason for release in releases],
        [release.message for release in releases],
        [release.seconds for release in releases],
        [release.bound for release in releases],
    )


RECLAIM = f"""
WITH late AS (
  SELECT id FROM active WHERE state = 'submitting' AND claimed_until < now() LIMIT $1 FOR UPDATE SKIP LOCKED
), moved AS (
  UPDATE active SET state = 'queued', event = event + 1, since = now(), claimed_until = NULL
  FROM late WHERE active.id = late.id
  RETURNING active.id, event, state, attempt, '{Reason.LEASE_ENDED}' AS reason,
    'its worker did not say what became of it' AS message
), told AS ({TOLD})
SELECT id FROM moved
"""


async def reclaim(connection: Connection, most: int = 500) -> set[UUID]:
    """submitting -> queued, on the same cluster, where a worker did not come back in time."""
    return await _ids(connection, RECLAIM, most)


UNPLACE = f"""
WITH waiting AS (
  SELECT id FROM active WHERE state = 'queued' AND cluster = $1 AND (movable OR $4) AND NOT tried
    AND wanted = 'run'
  LIMIT $3 FOR UPDATE SKIP LOCKED
), moved AS (
  UPDATE active SET state = 'accepted', event = event + 1, since = now(), due = now(), cluster = NULL
  FROM waiting WHERE active.id = waiting.id
  RETURNING active.id, event, state, attempt, '{Reason.MOVED}' AS reason, $2::text AS message
), told AS ({TOLD})
SELECT id FROM moved
"""


async def unplace(
    connection: Connection, cluster: str, because: str, most: int = 500, *, routed: bool = False
) -> set[UUID]:
    """queued -> accepted: jobs of a cluster that takes none now, and that may go elsewhere.

    routed: those as well whose route names the cluster.
    """
    return await _ids(connection, UNPLACE, cluster, because, most, routed)


@dataclass(frozen=True, kw_only=True)
class Submitted:
    """A job whose application is on its cluster."""

    job: UUID
    claim: int
    application: str


SUBMITTED = f"""
WITH given AS (
  SELECT * FROM unnest($1::uuid[], $2::integer[], $3::text[]) AS given (id, claim, application)
), moved AS (
  UPDATE active SET state = 'submitted', event = event + 1, since = now(), claimed_until = NULL
  FROM given
  WHERE active.id = given.id AND active.claim = given.claim AND {_before(State.SUBMITTED)}
  RETURNING active.id, event, state, attempt, cluster, namespace, given.application,
    '{Reason.CREATED}' AS reason, given.application AS message
), applied AS ({APPLIED}), told AS ({TOLD})
SELECT id FROM moved
"""


async def submitted(connection: Connection, jobs: Sequence[Submitted]) -> set[UUID]:
    """submitting -> submitted."""
    return await _ids(
        connection,
        SUBMITTED,
        [job.job for job in jobs],
        [job.claim for job in jobs],
        [job.application for job in jobs],
    )


@dataclass(frozen=True, kw_only=True)
class FoundApplication:
    """An application of an attempt that is on a cluster, whatever its worker said."""

    job: UUID
    attempt: int
    cluster: str
    namespace: str
    application: str


FOUND = f"""
WITH given AS (
  SELECT * FROM unnest($1::uuid[], $2::smallint[], $3::text[], $4::text[], $5::text[])
    AS given (id, attempt, cluster, namespace, application)
), moved AS (
  UPDATE active SET state = 'submitted', event = event + 1, since = now(), claimed_until = NULL
  FROM given
  WHERE active.id = given.id AND active.attempt = given.attempt AND active.cluster = given.cluster
    AND tried AND active.state IN ('accepted', 'queued', 'submitting')
  RETURNING active.id, event, state, active.attempt, given.cluster, given.namespace, given.application,
    '{Reason.CREATED}' AS reason, given.application AS message
), applied AS ({APPLIED}), told AS ({TOLD})
SELECT id FROM moved
"""


async def record_found(connection: Connection, applications: Sequence[FoundApplication]) -> set[UUID]:
    """Whatever was before -> submitted."""
    return await _ids(
        connection,
        FOUND,
        [application.job for application in applications],
        [application.attempt for application in applications],
        [application.cluster for application in applications],
        [application.namespace for application in applications],
        [application.application for application in applications],
    )


@dataclass(frozen=True, kw_only=True)
class DriverStart:
    """A job whose driver runs."""

    job: UUID
    attempt: int
    spark_id: str | None


STARTED = f"""
WITH given AS (
  SELECT * FROM unnest($1::uuid[], $2::smallint[], $3::text[]) AS given (id, attempt, spark_id)
), moved AS (
  UPDATE active SET state = 'running', event = event + 1, since = now(), acknowledged = true
  FROM given
  WHERE active.id = given.id AND active.attempt = given.attempt AND {_before(State.RUNNING)}
  RETURNING active.id, event, state, active.attempt, given.spark_id,
    '{Reason.STARTED}' AS reason, '' AS message
), tried AS (
  UPDATE attempts SET started = now(), spark_id = moved.spark_id FROM moved
  WHERE attempts.job = moved.id AND attempts.number = moved.attempt
), told AS ({TOLD})
SELECT id FROM moved
"""


async def record_starts(connection: Connection, jobs: Sequence[DriverStart]) -> set[UUID]:
    """submitted -> running."""
    return await _ids(
        connection,
        STARTED,
        [job.job for job in jobs],
        [job.attempt for job in jobs],
        [job.spark_id for job in jobs],
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


TRIED = """
  UPDATE attempts SET ended = now(), state = given.state, reason = moved.reason, message = moved.message,
    spark_id = coalesce(given.spark_id, attempts.spark_id)
  FROM given JOIN moved ON moved.id = given.id
  WHERE attempts.job = given.id AND attempts.number = given.attempt
"""

GIVEN = """
  SELECT * FROM unnest(
    $1::uuid[], $2::smallint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::double precision[],
    $8::text[]
  ) AS given (id, attempt, state, reason, message, spark_id, seconds, fault)
"""

RETRY = f"""
WITH given AS ({GIVEN}), moved AS (
  UPDATE active SET state = 'accepted', event = event + 1, since = now(), attempt = active.attempt + 1,
    claimed_until = NULL, acknowledged = false, tried = false, cluster = NULL,
    due = now() + make_interval(secs => given.seconds), ready = now() + make_interval(secs => given.seconds),
    infrastructure_failures = infrastructure_failures + (given.fault = 'infrastructure')::int,
    user_code_failures = user_code_failures + (given.fault = 'user code')::int
  FROM given
  WHERE active.id = given.id AND active.attempt = given.attempt AND active.wanted = 'run'
    AND {_before(State.ACCEPTED)}
  RETURNING active.id, event, active.state, active.attempt, given.reason, given.message
), tried AS ({TRIED}), told AS ({TOLD})
SELECT id FROM moved
"""

END = f"""
WITH given AS ({GIVEN}), moved AS (
  DELETE FROM active USING given
  WHERE active.id = given.id AND active.attempt = given.attempt AND active.state NOT IN ({
    ", ".join(f"'{state}'" for state in sorted(ENDED))
})
  -- Who stopped it has said why.
  RETURNING active.id, event + 1 AS event, given.state, active.attempt, active.cluster,
    CASE WHEN given.state = '{State.CANCELLED}' THEN coalesce(stop_reason, given.reason) ELSE given.reason END
      AS reason,
    CASE WHEN given.state = '{State.CANCELLED}' THEN coalesce(stop_message, given.message) ELSE given.message
    END AS message
), ended AS (
  UPDATE jobs SET state = moved.state, reason = moved.reason, message = moved.message,
    cluster = moved.cluster, attempts = moved.attempt, ended = now(),
    started = (SELECT min(started) FROM attempts WHERE attempts.job = moved.id)
  FROM moved WHERE jobs.id = moved.id
), tried AS ({TRIED}), freed AS (
  UPDATE active SET after = NULL, due = now() FROM moved WHERE active.after = moved.id
), told AS ({TOLD})
SELECT id FROM moved
"""


async def record_ends(connection: Connection, ends: Iterable[End]) -> set[UUID]:
    """An attempt has ended: its job as well, or it goes back to accepted for another."""
    retries = [end for end in ends if end.pause_seconds is not None]
    finals = [end for end in ends if end.pause_seconds is None]
    retry_ids = await _ids(connection, RETRY, *_columns(retries)) if retries else set()
    return retry_ids | (await _ids(connection, END, *_columns(finals)) if finals else set())


def _columns(ends: Sequence[End]) -> list[list[object]]:
    return [
        [end.job for end in ends],
        [end.attempt for end in ends],
        [end.state for end in ends],
        [end.reason for end in ends],
        [end.message for end in ends],
        [end.spark_id for end in ends],
        [end.pause_seconds for end in ends],
        [FAULTS.get(end.reason) for end in ends],
    ]


WANT = f"""
WITH wanting AS (
  UPDATE active SET wanted = $2, event = event + 1, stop_reason = $3, stop_message = $4
  WHERE id = ANY($1::uuid[]) AND wanted <> $2 AND wanted <> '{DesiredState.DELETE}'
  RETURNING id, event, state, attempt, tried, $3::text AS reason, $4::text AS message
), told AS (
  INSERT INTO events (job, number, state, attempt, reason, message)
  SELECT id, event, state, attempt, reason, message FROM wanting
)
SELECT id, attempt, tried FROM wanting
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
