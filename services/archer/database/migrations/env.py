"""What alembic runs: the migrations of `versions/`, a transaction each, on a connection it is given."""

from alembic import context

from services.archer.database.tables import ALLOCATION, METADATA, PARTITIONED


def _is_ours(_: object, name: str | None, kind: str, reflected: bool, __: object) -> bool:
    """Whether a thing of the database is compared: partitions and their indexes are not."""
    if kind == "table" and reflected and name is not None:
        return not name.startswith(tuple(f"{table}_" for table in PARTITIONED))
    return True


def _is_included(name: str | None, kind: str, _: object) -> bool:
    """Whether a schema is looked at: the first one, which has no name here, and that of plans."""
    return kind != "schema" or name in (None, ALLOCATION)


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    transaction_per_migration=True,
    include_object=_is_ours,
    include_schemas=True,
    include_name=_is_included,
)
with context.begin_transaction():
    context.run_migrations()
