"""The migrations make the tables that the code has."""

import asyncio

from alembic import autogenerate
from alembic.runtime.migration import MigrationContext
from sqlalchemy.ext.asyncio import create_async_engine

from services.archer.database.migrate import migrate
from services.archer.database.tables import ALLOCATION, METADATA, PARTITIONED
from tests.support.loops import run_apart


def _differences(connection):
    def ours(_, name, kind, reflected, __):
        partition = kind == "table" and reflected and name.startswith(tuple(f"{t}_" for t in PARTITIONED))
        return not partition and name != "alembic_version"

    def schemas(name, kind, _):
        return kind != "schema" or name in (None, ALLOCATION)

    options = {"include_object": ours, "include_schemas": True, "include_name": schemas}
    context = MigrationContext.configure(connection, opts=options)
    return autogenerate.compare_metadata(context, METADATA)


async def compared(address):
    """What differs between the tables of a database and those of the code."""
    engine = create_async_engine("postgresql+asyncpg://", async_creator=address.connect)
    async with engine.connect() as connection:
        differences = await connection.run_sync(_differences)
    await engine.dispose()
    return differences


def test_migrations_make_the_tables_of_the_code(address):
    assert run_apart(compared(address)) == []


def test_migrating_again_and_at_once_changes_nothing(address):
    async def both():
        await asyncio.gather(migrate(address), migrate(address))
        return await compared(address)

    assert run_apart(both()) == []
