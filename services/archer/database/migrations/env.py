"""What alembic runs: the migrations of `versions/`, a transaction each, on a connection it is given."""

from alembic import context

from services.archer.database.tables import METADATA, PARTITIONED


def _ours(_: object, name: str | None, kind: str, reflected: bool, __: object) -> bool:
    """Whether a thing of the database is compared: partitions and their indexes are not."""
    if kind == "table" and reflected and name is not None:
        return not name.startswith(tuple(f"{table}_" for table in PARTITIONED))
    return True


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    transaction_per_migration=True,
    include_object=_ours,
)
with context.begin_transaction():
    context.run_migrations()
