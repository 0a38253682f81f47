"""The database of Archer in the environment's PostgreSQL, and the user that its programs enter as.

That user reads and writes rows; tables belong to the master, who is entered by the keeper only.
"""

from contextlib import suppress

import asyncpg

from services.archer.database.address import Address, connected
from services.archer.database.tables import ALLOCATION

SCHEMAS = ("public", ALLOCATION)

# Who has it enters by tokens of IAM, and by nothing else:
# https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/UsingWithRDS.IAMDBAuth.DBAccounts.html
BY_TOKEN = "GRANT rds_iam TO {user}"

RIGHTS = (
    "GRANT USAGE ON SCHEMA {schema} TO {user}",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {user}",
    # Of partitions to come.
    "ALTER DEFAULT PRIVILEGES IN SCHEMA {schema} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {user}",
)
"""In each schema that has tables."""


async def prepare(master: Address, database: str, user: str) -> None:
    """Have a database, and a user that may enter it; again, it changes nothing.

    master: of a database that is there. Raises what connecting to it does.
    """
    async with connected(master) as connection:
        with suppress(asyncpg.DuplicateObjectError):
            await connection.execute(f"CREATE ROLE {_quoted(user)} LOGIN")
        await connection.execute(BY_TOKEN.format(user=_quoted(user)))
        with suppress(asyncpg.DuplicateDatabaseError):
            await connection.execute(f"CREATE DATABASE {_quoted(database)}")
        await connection.execute(f"REVOKE ALL ON DATABASE {_quoted(database)} FROM PUBLIC")
        await connection.execute(f"GRANT CONNECT ON DATABASE {_quoted(database)} TO {_quoted(user)}")


async def admit(master: Address, user: str) -> None:
    """Let a user read and write the rows of all tables there are, and will be.

    master: of the database that has the tables. Raises what connecting to it does.
    """
    async with connected(master) as connection:
        query = "SELECT nspname FROM pg_namespace WHERE nspname = ANY($1)"
        for row in await connection.fetch(query, SCHEMAS):
            for right in RIGHTS:
                await connection.execute(right.format(schema=row["nspname"], user=_quoted(user)))


def _quoted(name: str) -> str:
    return '"{}"'.format(name.replace('"', '""'))
