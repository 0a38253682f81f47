"""The database: bounds that are none, and a beginning that is itself."""

from collections.abc import Iterator

from moka.mistakes import Mistake
from moka.names import database_identifier
from stacks.settings.environment import Environment

LONGEST = 55
"""Of an identifier, so that those of its instances and its last snapshot are no longer than RDS's 63."""


def capacity(settings: Environment) -> Iterator[Mistake]:
    """A serverless instance that would have to be larger than it may be."""
    database = settings.database
    if database and database.minimum_capacity > database.maximum_capacity:
        yield Mistake(
            "database.minimum_capacity",
            f"is {database.minimum_capacity:g}, more than maximum_capacity, {database.maximum_capacity:g}; "
            "lower it, or raise that",
        )


def beginning(settings: Environment) -> Iterator[Mistake]:
    """A database that is to begin with itself."""
    database = settings.database
    if database is None or database.restore_from is None:
        return
    identifier = database_identifier(settings.prefix, database.generation)
    if database.restore_from.cluster == identifier:
        yield Mistake(
            "database.restore_from.cluster",
            f"is {identifier}, which is the database itself; raise database.generation, for another one "
            "beside it",
        )


def name(settings: Environment) -> Iterator[Mistake]:
    """A name that RDS does not take."""
    if settings.database is None:
        return
    identifier = database_identifier(settings.prefix, settings.database.generation)
    if len(identifier) > LONGEST or "--" in identifier:
        yield Mistake(
            "organization",
            f"gives the database the name {identifier}, but RDS takes {LONGEST} characters here and no two "
            "dashes beside each other; shorten the names of organization and environment",
        )
