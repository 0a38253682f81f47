"""Plans, and what is in force of them: routes and amounts of queues change in one transaction, or neither.

Revisions are a chain, of which the last one is in force. A new one names the one that it comes after, and
each has only one after it: who comes second waits for the first, and then finds that.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

import asyncpg

from moka.allocation.cluster_settings import ClusterSettings
from moka.allocation.plan import Plan, as_data
from moka.allocation.queue_amounts import FORMAT, QueueAmounts
from services.archer.database.pool import Connection
from services.archer.database.turns import turn

Kind = Literal["apply", "rollback", "withdrawal"]


class PlanRefused(Exception):
    """What cannot be done with a plan; the message is a sentence.

    kind: a word for it, for programs.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True, kw_only=True)
class PlanRow:
    """A plan, but for its document."""

    id: str
    made: datetime
    made_by: str
    state: str
    proposed: datetime
    proposed_by: str
    refused_by: str | None
    why: str | None


@dataclass(frozen=True, kw_only=True)
class RevisionRow:
    """What is in force, or was. plan: None where the settings hold."""

    number: int
    after: int | None
    plan: str | None
    kind: str
    at: datetime
    by: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Step:
    """From one revision to the next.

    plan: None for a withdrawal. after: the revision that is taken to be in force. request: told apart by it.
    digests: cluster -> that its settings must have now; of a rollback, none.
    left_out: workflows whose routes are not written.
    """

    kind: Kind
    plan: Plan | None
    after: int
    request: UUID
    by: str
    why: str
    digests: Mapping[str, str] = field(default_factory=dict)
    left_out: Collection[str] = ()


PLAN_COLUMNS = "id, made, made_by, state, proposed, proposed_by, refused_by, why"
REVISION_COLUMNS = 'number, after, plan, kind, at, "by", why'

PROPOSE = """
INSERT INTO allocation.plans (id, document, made, made_by, proposed_by) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (id) DO UPDATE SET id = excluded.id
"""
"""One that is there is held, so that the keeper does not drop it meanwhile."""

# Its number grows also where a database that was restored knows nothing of the last ones, so that no cluster
# takes the next one for an old one.
NEXT = """
INSERT INTO allocation.revisions (number, after, plan, kind, request, by, why)
VALUES (greatest($1::bigint + 1, extract(epoch FROM now())::bigint), $1, $2, $3, $4, $5, $6)
ON CONFLICT DO NOTHING RETURNING number
"""

OTHERS_ROUTES = """
SELECT workflow, by FROM routes WHERE ended IS NULL AND plan IS NULL AND workflow = ANY($1::text[])
ORDER BY workflow LIMIT 1
"""

NEW_ROUTES = """
WITH planned AS (
  SELECT * FROM jsonb_to_recordset($1::jsonb)
    AS planned (workflow text, cluster text, namespace text, queue text, architecture text, why text)
)
"""

END_ROUTES = f"""{NEW_ROUTES}
UPDATE routes SET ended = now(), ended_by = $2 WHERE ended IS NULL AND plan IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM planned WHERE planned.workflow = routes.workflow
    AND (planned.cluster, planned.namespace, planned.queue, planned.architecture)
      IS NOT DISTINCT FROM (routes.cluster, routes.namespace, routes.queue, routes.architecture::text)
)
"""

WRITE_ROUTES = f"""{NEW_ROUTES}
INSERT INTO routes (workflow, cluster, namespace, queue, architecture, since, why, by, plan)
SELECT workflow, cluster, namespace, queue, architecture, now(), why, $2, $3 FROM planned
WHERE NOT EXISTS (
  SELECT 1 FROM routes WHERE routes.workflow = planned.workflow AND ended IS NULL AND plan IS NOT NULL
)
"""

NEW_AMOUNTS = """
WITH planned AS (
  SELECT * FROM jsonb_to_recordset($1::jsonb) AS planned (cluster text, queue text, hours jsonb)
)
"""

END_AMOUNTS = f"""{NEW_AMOUNTS}
UPDATE allocation.amounts SET ended = $2 WHERE ended IS NULL AND NOT EXISTS (
  SELECT 1 FROM planned WHERE (planned.cluster, planned.queue, planned.hours)
    = (amounts.cluster, amounts.queue, amounts.hours)
)
"""

WRITE_AMOUNTS = f"""{NEW_AMOUNTS}
INSERT INTO allocation.amounts (cluster, queue, revision, hours)
SELECT cluster, queue, $2, hours FROM planned WHERE NOT EXISTS (
  SELECT 1 FROM allocation.amounts
  WHERE (amounts.cluster, amounts.queue) = (planned.cluster, planned.queue) AND ended IS NULL
)
"""

# Those that wait were made for what was in force before.
SUPERSEDE = """
UPDATE allocation.plans SET state = 'superseded'
WHERE id IS DISTINCT FROM $1 AND state IN ('applied', 'proposed')
"""


async def tell(connection: Connection, cluster: str, settings: ClusterSettings) -> None:
    """Keep what a cluster says of its queues."""
    await connection.execute(
        "INSERT INTO allocation.cluster_queues (cluster, settings, digest) VALUES ($1, $2, $3) "
        "ON CONFLICT (cluster) DO UPDATE SET settings = $2, digest = $3, told = now()",
        cluster,
        settings.as_data(),
        settings.digest,
    )


async def reported_queues(connection: Connection) -> dict[str, Mapping[str, str]]:
    """Cluster -> what it said of its queues, as files."""
    rows = await connection.fetch("SELECT cluster, settings FROM allocation.cluster_queues")
    return {row["cluster"]: row["settings"] for row in rows}


async def has_reported_queues(connection: Connection, cluster: str) -> bool:
    """Whether it is known what a cluster said of its queues."""
    query = "SELECT EXISTS (SELECT 1 FROM allocation.cluster_queues WHERE cluster = $1)"
    return bool(await connection.fetchval(query, cluster))


async def forget(connection: Connection, cluster: str) -> None:
    """Forget what a cluster said."""
    await connection.execute("DELETE FROM allocation.cluster_queues WHERE cluster = $1", cluster)


async def brought(connection: Connection, cluster: str, revision: int) -> None:
    """Keep which revision a cluster has."""
    await connection.execute(
        "UPDATE allocation.cluster_queues SET revision = $2, brought = now() "
        "WHERE cluster = $1 AND revision <> $2",
        cluster,
        revision,
    )


async def clusters(connection: Connection) -> list[asyncpg.Record]:
    """Clusters that said what queues they have: name, revision, brought."""
    return await connection.fetch(
        "SELECT cluster, revision, brought FROM allocation.cluster_queues ORDER BY cluster"
    )


async def propose(connection: Connection, plan: Plan, by: str) -> PlanRow:
    """Keep a plan for review; the same again changes nothing. Raises PlanRefused."""
    document = as_data(plan)
    await connection.execute(PROPOSE, plan.id, document, plan.moment, plan.by, by)
    row = await connection.fetchrow(
        f"SELECT {PLAN_COLUMNS}, document = $2 AS same FROM allocation.plans WHERE id = $1", plan.id, document
    )
    assert row is not None, "it is held"
    values = dict(row)
    if not values.pop("same"):
        raise PlanRefused(
            "plan-exists", f"There is another plan {plan.id}, of {row['proposed_by']}: give yours another id."
        )
    return PlanRow(**values)


async def plans(connection: Connection, most: int, state: str | None = None) -> list[PlanRow]:
    """Plans, the latest first."""
    rows = await connection.fetch(
        f"SELECT {PLAN_COLUMNS} FROM allocation.plans WHERE $2::text IS NULL OR state = $2 "
        "ORDER BY proposed DESC, id LIMIT $1",
        most,
        state,
    )
    return [PlanRow(**row) for row in rows]


async def plan(connection: Connection, name: str) -> tuple[PlanRow, dict[str, Any]]:
    """A plan and its document. Raises PlanRefused."""
    row = await connection.fetchrow(
        f"SELECT {PLAN_COLUMNS}, document FROM allocation.plans WHERE id = $1", name
    )
    if row is None:
        raise PlanRefused("no-such-plan", f"There is no plan {name[:63]!r}: GET /v1/plans lists them.")
    values = dict(row)
    document = values.pop("document")
    return PlanRow(**values), document


async def revisions(connection: Connection, most: int) -> list[RevisionRow]:
    """What was in force, the last one, which is, first."""
    rows = await connection.fetch(
        f"SELECT {REVISION_COLUMNS} FROM allocation.revisions ORDER BY number DESC LIMIT $1", most
    )
    return [RevisionRow(**row) for row in rows]


async def in_force(connection: Connection) -> RevisionRow:
    """What is in force."""
    [last] = await revisions(connection, 1)
    return last


async def amounts(connection: Connection, cluster: str) -> QueueAmounts:
    """What is in force for the queues of a cluster."""
    # Both of one moment: a statement sees what was committed when it began.
    row = await connection.fetchrow(
        """
        SELECT number, plan,
          (SELECT document #>> ARRAY['clusters', $1, 'settings'] FROM allocation.plans WHERE id = plan)
            AS settings,
          (SELECT coalesce(jsonb_object_agg(queue, jsonb_build_object('hours', hours)), '{}')
           FROM allocation.amounts WHERE cluster = $1 AND ended IS NULL) AS queues
        FROM allocation.revisions ORDER BY number DESC LIMIT 1
        """,
        cluster,
    )
    assert row is not None, "there is a first revision"
    return QueueAmounts.model_validate(
        {
            "format": FORMAT,
            "revision": row["number"],
            "plan": row["plan"],
            "settings": row["settings"],
            "queues": row["queues"],
        }
    )


async def refuse(connection: Connection, name: str, by: str, why: str) -> PlanRow:
    """Have a plan that waits never take effect. Raises PlanRefused."""
    done = await connection.execute(
        "UPDATE allocation.plans SET state = 'refused', refused_by = $2, why = $3 "
        "WHERE id = $1 AND state = 'proposed'",
        name,
        by,
        why,
    )
    row, _ = await plan(connection, name)
    if done == "UPDATE 0" and (row.state, row.refused_by, row.why) != ("refused", by, why):
        raise PlanRefused("plan-refused", f"Plan {name} does not wait, it is {row.state}.")
    return row


async def step(connection: Connection, step: Step) -> RevisionRow:
    """Put routes and amounts of a plan in force, or take them out, all at once. Raises PlanRefused."""
    name = step.plan.id if step.plan else None
    last = await in_force(connection)
    number = None
    if last.number == step.after:
        try:
            number = await connection.fetchval(
                NEXT, step.after, name, step.kind, step.request, step.by, step.why
            )
        except asyncpg.ForeignKeyViolationError:
            # The keeper dropped it just now, as too old (services/archer/database/retention.py).
            raise PlanRefused("no-such-plan", f"There is no plan {name} any more: make a new one.") from None
    if number is None:
        return await _revision_of_request(connection, step)
    await _check_step(connection, step, last)
    await _write(connection, step, number)
    row = await connection.fetchrow(
        f"SELECT {REVISION_COLUMNS} FROM allocation.revisions WHERE number = $1", number
    )
    assert row is not None, "it was just written"
    return RevisionRow(**row)


async def _revision_of_request(connection: Connection, step: Step) -> RevisionRow:
    """The revision that this step made before its connection was cut off.

    Raises PlanRefused for another's.
    """
    row = await connection.fetchrow(
        f"SELECT {REVISION_COLUMNS} FROM allocation.revisions "
        "WHERE request = $1 AND kind = $2 AND plan IS NOT DISTINCT FROM $3",
        step.request,
        step.kind,
        step.plan.id if step.plan else None,
    )
    if row is not None:
        return RevisionRow(**row)
    last = await in_force(connection)
    subject = f"plan {last.plan}" if last.plan else "no plan"
    raise PlanRefused(
        "another-revision",
        f"Revision {step.after} is not in force, but {last.number} with {subject}, by {last.by}: look at "
        "what changes now, and ask again with that revision.",
    )


async def _check_step(connection: Connection, step: Step, last: RevisionRow) -> None:
    """Refuse a step that does not fit what is there, now that no other can come between.

    Raises PlanRefused.
    """
    if step.plan is None:
        if last.plan is None:
            raise PlanRefused("plan-refused", "No plan is in force: the settings hold already.")
        return
    name = step.plan.id
    row = await connection.fetchrow("SELECT state FROM allocation.plans WHERE id = $1 FOR UPDATE", name)
    assert row is not None, "the new revision holds it"
    if name == last.plan:
        raise PlanRefused("plan-refused", f"Plan {name} is in force already.")
    was = await connection.fetchval(
        "SELECT count(*) FROM allocation.revisions WHERE plan = $1 AND number <= $2", name, last.number
    )
    if step.kind == "rollback" and not was:
        raise PlanRefused("plan-refused", f"Plan {name} never was in force: apply it instead.")
    if step.kind == "apply" and was:
        raise PlanRefused("plan-refused", f"Plan {name} was in force before: roll back to it instead.")
    if step.kind == "apply" and row["state"] == "refused":
        raise PlanRefused("plan-refused", f"Plan {name} was refused: make a new one.")
    old = last.kind != "settings" and step.plan.moment < last.at
    if step.kind == "apply" and (old or row["state"] == "superseded"):
        event = f"plan {last.plan} took effect" if last.plan else "there was no plan in force any more"
        raise PlanRefused("plan-refused", f"Plan {name} was made before {event}: make a new one.")
    rows = await connection.fetch(
        "SELECT cluster, digest FROM allocation.cluster_queues WHERE cluster = ANY($1::text[]) FOR SHARE",
        list(step.digests),
    )
    now = {row["cluster"]: row["digest"] for row in rows}
    for cluster, digest in step.digests.items():
        if now.get(cluster) != digest:
            raise PlanRefused(
                "plan-refused",
                f"Plan {name} was made for other queues than the settings of {cluster} have: make a new one.",
            )
    await turn(connection, "routes")
    other = await connection.fetchrow(OTHERS_ROUTES, [route["workflow"] for route in _routes(step)])
    if other is not None:
        raise PlanRefused(
            "plan-refused",
            f"{other['workflow']} has a route of {other['by']}, which plan {name} would change: end that "
            "route, or leave the workflow out of the plan.",
        )


async def _write(connection: Connection, step: Step, number: int) -> None:
    routes, amounts = _routes(step), _amounts(step)
    name = step.plan.id if step.plan else None
    await connection.execute(END_ROUTES, routes, step.by)
    await connection.execute(WRITE_ROUTES, routes, step.by, name)
    await connection.execute(END_AMOUNTS, amounts, number)
    await connection.execute(WRITE_AMOUNTS, amounts, number)
    await connection.execute(SUPERSEDE, name)
    await connection.execute("UPDATE allocation.plans SET state = 'applied' WHERE id = $1", name)


def _routes(step: Step) -> Sequence[dict[str, Any]]:
    routes = step.plan.routes if step.plan else {}
    return [
        {"workflow": workflow, **route.model_dump(mode="json")}
        for workflow, route in routes.items()
        if workflow not in step.left_out
    ]


def _amounts(step: Step) -> Sequence[dict[str, Any]]:
    clusters = step.plan.clusters if step.plan else {}
    return [
        {
            "cluster": cluster,
            "queue": path,
            "hours": [hour.model_dump(mode="json", exclude_none=True) for hour in queue.hours],
        }
        for cluster, planned in clusters.items()
        for path, queue in planned.queues.items()
    ]
