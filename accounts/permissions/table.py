"""The table: every resource type that any environment has, with what deploying it takes.

A test holds it equal to what the previews of all environments have: a type without a row fails it, and so
does a row that nothing uses.
"""

from collections.abc import Iterable, Iterator

from accounts.permissions import clusters, data, databases, identity, metrics, names, network, registry
from accounts.permissions.row import Row
from stacks.settings import Environment

ROWS = (
    *network.ROWS,
    *data.ROWS,
    *databases.ROWS,
    *clusters.ROWS,
    *identity.ROWS,
    *registry.ROWS,
    *metrics.ROWS,
    *names.ROWS,
)


def rows_of(settings: Environment, foundations: Iterable[str]) -> Iterator[Row]:
    """The rows of the types that these foundations of an environment have, each once."""
    places = [(name, settings.foundations[name]) for name in foundations]
    for row in ROWS:
        if any(row.when(settings, name, foundation) for name, foundation in places):
            yield row
