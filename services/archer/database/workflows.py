"""Workflows: how critical each is, its SLO, whose it is and where it runs, with history."""

from collections.abc import Mapping, Sequence
from typing import Any

import asyncpg

from moka.workflows.definitions import Workflow
from services.archer.database.pool import Connection
from services.archer.database.turns import turn

COLUMNS = (
    'workflow, tier, slo_hours, owner, project, cluster, proposed, measured, since, why, "by", ended, '
    "ended_by"
)

SENT = """
WITH sent AS (
  SELECT * FROM jsonb_to_recordset($1::jsonb) AS sent (
    workflow text, tier smallint, slo_hours float8, owner text, project text, cluster text, measured jsonb
  )
)
"""

SAME = """
(sent.tier, sent.slo_hours, sent.owner, sent.project, sent.cluster)
  IS NOT DISTINCT FROM (known.tier, known.slo_hours, known.owner::text, known.project::text,
    known.cluster::text)
"""

END_CHANGED = f"""{SENT}
UPDATE allocation.workflows AS known SET ended = now(), ended_by = $2 FROM sent
WHERE known.workflow = sent.workflow AND known.ended IS NULL AND (known.proposed OR NOT {SAME})
"""

END_PROPOSED = f"""{SENT}
UPDATE allocation.workflows AS known SET ended = now(), ended_by = $2 FROM sent
WHERE known.workflow = sent.workflow AND known.ended IS NULL AND known.proposed
  AND NOT ({SAME} AND sent.measured IS NOT DISTINCT FROM known.measured)
"""

WRITE = f"""{SENT}
INSERT INTO allocation.workflows
  (workflow, tier, slo_hours, owner, project, cluster, measured, proposed, why, by)
SELECT workflow, tier, slo_hours, owner, project, cluster, measured, $3, $4, $2 FROM sent
WHERE NOT EXISTS (
  SELECT 1 FROM allocation.workflows AS known WHERE known.workflow = sent.workflow AND known.ended IS NULL
)
"""


async def write(
    connection: Connection,
    workflows: Mapping[str, Workflow],
    by: str,
    why: str,
    measured: Mapping[str, Mapping[str, Any]] | None = None,
) -> int:
    """Have workflows be as they are given, and those that are so already stay; how many changed.

    measured: of workflows that are proposed, which change none that somebody knows; None where somebody says
    so.
    """
    rows = [
        {"workflow": name, **workflow.model_dump(mode="json"), "measured": (measured or {}).get(name)}
        for name, workflow in workflows.items()
    ]
    proposed = measured is not None
    await turn(connection, "allocation.workflows")
    await connection.execute(END_PROPOSED if proposed else END_CHANGED, rows, by)
    done = await connection.execute(WRITE, rows, by, proposed, why)
    return int(done.rpartition(" ")[2])


async def end(connection: Connection, workflow: str, by: str) -> bool:
    """Have a workflow be known no more; whether it was."""
    done = await connection.execute(
        "UPDATE allocation.workflows SET ended = now(), ended_by = $2 WHERE workflow = $1 AND ended IS NULL",
        workflow,
        by,
    )
    return done != "UPDATE 0"


async def workflows(
    connection: Connection, workflow: str | None, proposed: bool | None, history: bool
) -> Sequence[asyncpg.Record]:
    """Workflows by name, what holds now first; with history also how they were."""
    return await connection.fetch(
        f"SELECT {COLUMNS} FROM allocation.workflows WHERE (ended IS NULL OR $1) "
        "AND ($2::text IS NULL OR workflow = $2) AND ($3::boolean IS NULL OR proposed = $3) "
        "ORDER BY workflow, id DESC LIMIT 20000",
        history,
        workflow,
        proposed,
    )
