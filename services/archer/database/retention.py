"""Plans and routes of long ago go: what was in force, once that is over, and plans that never took effect.

What is in force stays, and of earlier revisions those that amounts in force are from.
"""

from services.archer.database.pool import Connection

OVER = "now() - make_interval(days => $1)"

END_AMOUNTS = f"""
DELETE FROM allocation.amounts USING allocation.revisions
WHERE amounts.ended = revisions.number AND revisions.at < {OVER}
"""

# Of plans, and those that somebody set.
END_ROUTES = f"DELETE FROM routes WHERE ended < {OVER}"

# Numbers grow (services/archer/database/plans.py), so one is over since there is a later one.
OLD_REVISIONS = f"""
SELECT number FROM allocation.revisions WHERE EXISTS (
  SELECT 1 FROM allocation.revisions AS later WHERE later.number > revisions.number AND later.at < {OVER}
) AND NOT EXISTS (
  SELECT 1 FROM allocation.amounts WHERE revisions.number IN (amounts.revision, amounts.ended)
)
"""

NEVER_IN_FORCE = """
NOT EXISTS (SELECT 1 FROM allocation.revisions WHERE revisions.plan = plans.id)
"""

# One that takes effect just now is held by whoever does that.
OLD_PLANS = f"""
SELECT id FROM allocation.plans WHERE proposed < {OVER} AND {NEVER_IN_FORCE} FOR UPDATE SKIP LOCKED
"""


async def forget(connection: Connection, in_force: int, proposed: int) -> None:
    """Delete what was in force until so many days ago, and plans of so many days ago that never were."""
    await connection.execute(END_AMOUNTS, in_force)
    await connection.execute(END_ROUTES, in_force)
    revisions = [row["number"] for row in await connection.fetch(OLD_REVISIONS, in_force)]
    await connection.execute("UPDATE allocation.revisions SET after = NULL WHERE after = ANY($1)", revisions)
    await connection.execute("DELETE FROM allocation.revisions WHERE number = ANY($1)", revisions)
    plans = [row["id"] for row in await connection.fetch(OLD_PLANS, proposed)]
    # Again, as it may have taken effect before it was held.
    await connection.execute(f"DELETE FROM allocation.plans WHERE id = ANY($1) AND {NEVER_IN_FORCE}", plans)
