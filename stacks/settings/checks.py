"""What the values of a settings file must be to each other."""

from collections.abc import Iterator
from typing import Any

from stacks.settings.environment import Environment


def mistakes(settings: Environment) -> Iterator[str]:
    """Everything in the settings that does not fit together."""
    yield from _unknown_names(settings)
    yield from _shared_places(settings)


def _unknown_names(settings: Environment) -> Iterator[str]:
    if settings.home not in settings.clusters:
        yield f"home: no cluster is named {settings.home!r}; there are {_listed(settings.clusters)}"
    for name, cluster in settings.clusters.items():
        if cluster.foundation not in settings.foundations:
            yield (
                f"clusters.{name}.foundation: no foundation is named {cluster.foundation!r}; "
                f"there are {_listed(settings.foundations)}"
            )
    for name, piece in settings.slices.items():
        for cluster_name in piece.clusters:
            if cluster_name not in settings.clusters:
                yield (
                    f"slices.{name}.clusters: no cluster is named {cluster_name!r}; "
                    f"there are {_listed(settings.clusters)}"
                )


def _shared_places(settings: Environment) -> Iterator[str]:
    seen: dict[tuple[str, str], str] = {}
    for name, foundation in settings.foundations.items():
        first = seen.setdefault((foundation.account, foundation.region), name)
        if first != name:
            yield (
                f"foundations.{name}: account {foundation.account} in {foundation.region} has the foundation "
                f"{first!r} already; an account and region has one"
            )


def _listed(names: Iterator[str] | dict[str, Any]) -> str:
    return ", ".join(sorted(names))
