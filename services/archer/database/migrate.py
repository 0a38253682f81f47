"""Brings the schema up to date."""

from datetime import UTC, datetime
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import create_async_engine

from moka.submission.month import Month
from services.archer.database.address import Address
from services.archer.database.partitions import statements

MIGRATIONS = Path(__file__).parent / "migrations"

LOCK = 0x617263686572
"""Advisory lock: of several that migrate at once, one does."""


def configuration(connection: Connection) -> Config:
    """Alembic's, for a connection."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    return config


def upgrade(connection: Connection) -> None:
    """Run the migrations that have not run, and make the partitions of these months."""
    connection.execute(text("SELECT pg_advisory_lock(:lock)"), {"lock": LOCK})
    connection.commit()
    try:
        command.upgrade(configuration(connection), "head")
        for statement in statements(Month.of(datetime.now(UTC))):
            connection.execute(text(statement))
        connection.commit()
    finally:
        connection.execute(text("SELECT pg_advisory_unlock(:lock)"), {"lock": LOCK})
        connection.commit()


async def migrate(address: Address) -> None:
    """Bring the schema at an address up to date; again, it does nothing."""
    engine = create_async_engine("postgresql+asyncpg://", async_creator=address.connect)
    try:
        async with engine.connect() as connection:
            await connection.run_sync(upgrade)
    finally:
        await engine.dispose()
