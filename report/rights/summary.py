"""Rights in words: actions by service, the scope behind them."""

from collections.abc import Iterable

from aws_rules.iam.definitions import actions as actions_of_service
from report.rights.kubernetes import in_words
from report.rights.rights import Actions, Scope
from report.words import code, count, listing

NAMED = 4
"""Actions of a service that are named one by one."""

SERVICES = 5
"""Services that are named one by one."""

EVERYTHING = 5_000
"""More actions than any policy means one by one: it is for all of AWS."""


def actions_in_words(actions: Actions) -> str:
    """The actions: those of a service by name, or how many; `all of s3 (160 actions)`."""
    if len(actions) > EVERYTHING:
        return f"everything ({len(actions):,} actions of all services)"
    services: dict[str, list[str]] = {}
    for action in sorted(actions):
        service, _, name = action.partition(":")
        services.setdefault(service if name else "", []).append(name or service)
    parts = [_service(service, names) for service, names in services.items()]
    return listing(parts, SERVICES)


def _service(service: str, names: list[str]) -> str:
    if not service:
        return listing(map(code, names), NAMED)
    every = len(actions_of_service(service))
    if every and len(names) == every and every > 1:
        return f"all of {code(service)} ({every} actions)"
    actions = [f"{service}:{name}" for name in names]
    if len(names) > NAMED:
        more = count(len(names) - NAMED, "more action")
        return f"{', '.join(map(code, actions[:NAMED]))} and {more} of {service}"
    return listing(map(code, actions), NAMED)


def scope_in_words(scopes: Iterable[Scope]) -> str:
    """Where: the resources, and the conditions that they share."""
    every = list(scopes)
    resources = listing((code(in_words(scope.resource)) for scope in every), 4)
    conditions = every[0].conditions
    if not conditions:
        return f"on {resources}"
    holds = listing(
        (
            f"{code(key)} {operator} {listing(map(code, sorted(values)), 3)}"
            for operator, key, values in sorted(conditions, key=lambda condition: condition[:2])
        ),
        3,
    )
    return f"on {resources}, where {holds}"
