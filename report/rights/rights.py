"""Rights: actions on resources under conditions; what one set of them has that another does not.

Two policies are compared by what they allow, not by how they say it: a statement may be split, its actions
may be written with a wildcard or one by one. Where patterns are compared, a right counts as had before only
if that is certain: what is doubtful is shown.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from aws_rules.iam.definitions import expanded
from aws_rules.iam.evaluation import Policy, like, listed, statements_of

Condition = tuple[str, str, frozenset[str]]
"""Operator, key in small letters, values."""

Actions = frozenset[str]

EXCEPT = "all but "
"""Begins the resource of a statement with NotResource."""


@dataclass(frozen=True, kw_only=True)
class Scope:
    """Where actions may be done: a pattern of resources, and what else has to hold."""

    resource: str
    conditions: frozenset[Condition] = frozenset()

    def covers(self, other: "Scope") -> bool:
        """Whether all that the other one allows is certainly allowed here."""
        return covers(self.resource, other.resource) and all(
            any(_implies(other_condition, condition) for other_condition in other.conditions)
            for condition in self.conditions
        )


@dataclass(frozen=True, kw_only=True)
class Rights:
    """What is allowed, and what is denied whatever is allowed: scope -> actions."""

    allowed: Mapping[Scope, Actions]
    denied: Mapping[Scope, Actions]

    def __bool__(self) -> bool:
        return bool(self.allowed or self.denied)


NONE = Rights(allowed={}, denied={})


def rights_of(policies: Iterable[Policy]) -> Rights:
    """What policies give together. Raises ValueError for what is no policy."""
    allowed: dict[Scope, Actions] = {}
    denied: dict[Scope, Actions] = {}
    for policy in policies:
        for statement in _statements(policy):
            side = allowed if statement.get("Effect") == "Allow" else denied
            actions = actions_of(statement)
            for scope in _scopes(statement):
                side[scope] = side.get(scope, frozenset()) | actions
    return Rights(allowed=allowed, denied=denied)


def joined(parts: Iterable[Rights]) -> Rights:
    """Several rights as one."""
    allowed: dict[Scope, Actions] = {}
    denied: dict[Scope, Actions] = {}
    for part in parts:
        for total, addition in ((allowed, part.allowed), (denied, part.denied)):
            for scope, actions in addition.items():
                total[scope] = total.get(scope, frozenset()) | actions
    return Rights(allowed=allowed, denied=denied)


def gained(before: Rights, after: Rights) -> Iterator[tuple[Scope, Actions]]:
    """What `after` allows and `before` did not; the lost rights are those gained the other way round."""
    for scope, actions in after.allowed.items():
        had = [
            old_actions - _always_denied(before, scope)
            for old_scope, old_actions in before.allowed.items()
            if old_scope.covers(scope)
        ]
        new = actions - _always_denied(after, scope) - frozenset().union(*had)
        if new:
            yield scope, new
    yield from _no_longer_denied(before, after)


def _always_denied(rights: Rights, scope: Scope) -> Actions:
    """Actions that are denied all over a scope."""
    return frozenset().union(*(actions for denial, actions in rights.denied.items() if denial.covers(scope)))


def _no_longer_denied(before: Rights, after: Rights) -> Iterator[tuple[Scope, Actions]]:
    """Actions that were allowed and denied, within part of their scope, and are denied no more."""
    for denial, actions in before.denied.items():
        free = actions - _always_denied(after, denial)
        for scope, allowed in after.allowed.items():
            if not (covers(scope.resource, denial.resource) or covers(denial.resource, scope.resource)):
                continue
            # What the denial held back all over the scope is in what is gained anyway.
            if (new := free & allowed) and not denial.covers(scope):
                yield Scope(resource=denial.resource, conditions=scope.conditions), new


@cache
def covers(pattern: str, other: str) -> bool:
    """Whether all that fits one pattern certainly fits another."""
    if pattern in ("*", other):
        return True
    if "*" not in pattern and "?" not in pattern:
        return False
    if pattern.startswith(EXCEPT) or other.startswith(EXCEPT):
        return False
    return not ("?" in pattern and "*" in other) and like(pattern, other)


def _implies(other_condition: Condition, condition: Condition) -> bool:
    """Whether a condition holds only where another one holds too."""
    operator, key, values = condition
    if other_condition[:2] != (operator, key):
        return False
    negated = "Not" in operator
    # Of several values, one is enough; of several that must not be, none may be.
    return values <= other_condition[2] if negated else other_condition[2] <= values


def actions_of(statement: Mapping[str, Any]) -> Actions:
    """The actions that a statement is about; a name that nobody defines stays as it is."""
    if "Action" in statement:
        return _expansion(tuple(map(str, listed(statement["Action"]))))
    return _expansion(("*",)) - _expansion(tuple(map(str, listed(statement.get("NotAction", "*")))))


@cache
def _expansion(patterns: Sequence[str]) -> Actions:
    parts = [expanded("*:*" if pattern == "*" else pattern) or (pattern,) for pattern in patterns]
    return frozenset(action for part in parts for action in part)


def _scopes(statement: Mapping[str, Any]) -> Iterator[Scope]:
    conditions = frozenset(
        (operator, key.lower(), frozenset(map(str, listed(values))))
        for operator, keys in (statement.get("Condition") or {}).items()
        for key, values in keys.items()
    )
    if "NotResource" in statement:
        resources = [f"{EXCEPT}{' and '.join(sorted(map(str, listed(statement['NotResource']))))}"]
    else:
        resources = list(map(str, listed(statement.get("Resource", "*"))))
    for resource in resources:
        yield Scope(resource=resource, conditions=conditions)


def _statements(policy: Policy) -> list[Mapping[str, Any]]:
    try:
        statements = [statement for entry in statements_of(policy) for statement in listed(entry)]
    except (KeyError, TypeError):
        raise ValueError("it has no Statement") from None
    if any(not isinstance(statement, Mapping) for statement in statements):
        raise ValueError("a statement of it is no object")
    return statements
