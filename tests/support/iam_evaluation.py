"""IAM's evaluation of policies, as far as the policies of this project go; what goes further is an error.

Source: "Policy evaluation logic", "IAM JSON policy elements" and "Policy variables" in the IAM User Guide;
"Key policies in AWS KMS" in the KMS Developer Guide. Service control and session policies are left out: they
only ever take away.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

Policy = Mapping[str, Any]
"""A policy document: Version 2012-10-17, and Statement."""

Context = Mapping[str, str]
"""Condition key -> value in a request."""

By = Literal["itself", "its account"]
"""How the principal of a statement names a caller; an account leaves it to its own policies."""

OWN_POLICY_DECIDES = frozenset({"kms", "sts"})
"""Services where an identity's policy does nothing unless the resource's own policy refers to it."""

VARIABLE = re.compile(r"\$\{([^}]*)\}")
LITERAL = {"*", "?", "$"}


@dataclass(frozen=True, kw_only=True)
class Role:
    """A session of a role.

    arn: of the role, path included.
    policies: what is attached to it.
    boundary: its permissions boundary, if any.
    tags: of the session.
    """

    arn: str
    policies: tuple[Policy, ...] = ()
    boundary: Policy | None = None
    tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def account(self) -> str:
        """Account of the role."""
        return self.arn.split(":")[4]

    @property
    def context(self) -> Context:
        """What every request of it says of the caller."""
        tags = {f"aws:PrincipalTag/{key}": value for key, value in self.tags.items()}
        own = {"aws:PrincipalAccount": self.account, "kms:CallerAccount": self.account}
        return {"aws:PrincipalArn": self.arn, **own, **tags}


@dataclass(frozen=True, kw_only=True)
class Service:
    """A service of AWS that acts for itself, for example `pods.eks.amazonaws.com`."""

    name: str

    @property
    def context(self) -> Context:
        """What every request of it says of the caller."""
        return {"aws:PrincipalIsAWSService": "true", "aws:PrincipalServiceName": self.name}


@dataclass(frozen=True, kw_only=True)
class Resource:
    """What a request is about.

    arn: its name; account: whose it is, which an S3 ARN does not say.
    policy: its own, if any: of a bucket, a key, or the trust policy of a role.
    """

    arn: str
    account: str
    policy: Policy | None = None


def allowed(caller: Role | Service, action: str, resource: Resource, context: Context | None = None) -> bool:
    """Whether a caller may do this.

    context: what the request says, besides who asks and that it is made over TLS.
    Raises NotImplementedError for a policy that says what this cannot judge.
    """
    request = _folded({"aws:SecureTransport": "true", **caller.context, **(context or {})})
    own = resource.policy
    statements = list(_applying(own, caller, action, resource.arn, request)) if own else []
    if isinstance(caller, Service):
        return _decided([statement for statement, _ in statements]) is True

    identity = [
        statement for policy in caller.policies for statement in _of(policy, action, resource, request)
    ]
    bounds = [] if caller.boundary is None else list(_of(caller.boundary, action, resource, request))
    if _denies(identity) or _denies(bounds) or _denies(statement for statement, _ in statements):
        return False

    by = {how for statement, how in statements if statement["Effect"] == "Allow"}
    within_bounds = caller.boundary is None or _allows(bounds)
    by_identity = _allows(identity)
    if caller.account != resource.account:
        return within_bounds and by_identity and bool(by)
    if "itself" in by:
        return within_bounds
    refers_to_identity = "its account" in by or action.partition(":")[0] not in OWN_POLICY_DECIDES
    return within_bounds and by_identity and refers_to_identity


def _decided(statements: Iterable[Mapping[str, Any]]) -> bool | None:
    effects = {statement["Effect"] for statement in statements}
    return False if "Deny" in effects else True if "Allow" in effects else None


def _allows(statements: Iterable[Mapping[str, Any]]) -> bool:
    return _decided(statements) is True


def _denies(statements: Iterable[Mapping[str, Any]]) -> bool:
    return _decided(statements) is False


def _of(policy: Policy, action: str, resource: Resource, request: Context) -> Iterator[Mapping[str, Any]]:
    """Statements of an identity's policy that apply."""
    for statement in _statements(policy):
        if (
            _acts(statement, action)
            and _about(statement, resource.arn, request)
            and _holds(statement, request)
        ):
            yield statement


def _applying(
    policy: Policy, caller: Role | Service, action: str, arn: str, request: Context
) -> Iterator[tuple[Mapping[str, Any], By]]:
    """Statements of a resource's policy that apply, and how they name the caller."""
    for statement in _statements(policy):
        how = _named(statement, caller)
        # A trust policy is about its role and names no resource.
        if not how or not _acts(statement, action):
            continue
        if ("Resource" not in statement or _about(statement, arn, request)) and _holds(statement, request):
            yield statement, how


def _statements(policy: Policy) -> list[Mapping[str, Any]]:
    if policy["Version"] != "2012-10-17":
        raise NotImplementedError(f"policy of version {policy['Version']}")
    statements: list[Mapping[str, Any]] = _listed(policy["Statement"])
    return statements


def _named(statement: Mapping[str, Any], caller: Role | Service) -> By | None:
    if "Principal" not in statement:
        raise NotImplementedError(f"a resource's statement without Principal: {sorted(statement)}")
    principal = statement["Principal"]
    kinds = {"AWS": "*", "Service": "*"} if principal == "*" else principal
    if isinstance(caller, Service):
        return "itself" if {"*", caller.name} & set(_listed(kinds.get("Service", []))) else None
    names = set(_listed(kinds.get("AWS", [])))
    if unknown := {name for name in names if "*" in name and name != "*"}:
        raise NotImplementedError(f"AWS refuses wildcards in a principal: {sorted(unknown)}")
    if {"*", caller.arn} & names:
        return "itself"
    whole = {caller.account} | {name for name in names if name.endswith(f":iam::{caller.account}:root")}
    return "its account" if whole & names else None


def _acts(statement: Mapping[str, Any], action: str) -> bool:
    if "Action" in statement:
        return any(_like(pattern, action, fold=True) for pattern in _listed(statement["Action"]))
    return not any(_like(pattern, action, fold=True) for pattern in _listed(statement["NotAction"]))


def _about(statement: Mapping[str, Any], arn: str, request: Context) -> bool:
    if "Resource" in statement:
        return any(_like(pattern, arn, request) for pattern in _listed(statement["Resource"]))
    return not any(_like(pattern, arn, request) for pattern in _listed(statement["NotResource"]))


def _holds(statement: Mapping[str, Any], request: Context) -> bool:
    """Whether every condition holds."""
    return all(
        _meets(operator, request.get(key.lower()), _listed(values), request)
        for operator, keys in statement.get("Condition", {}).items()
        for key, values in keys.items()
    )


def _meets(operator: str, value: str | None, expected: list[Any], request: Context) -> bool:
    if operator == "Null":
        return any((value is None) == (str(candidate).lower() == "true") for candidate in expected)
    base = operator.removesuffix("IfExists")
    if base not in OPERATORS:
        raise NotImplementedError(f"condition operator {operator}")
    test, negated = OPERATORS[base]
    if value is None:
        return negated or base != operator
    return any(test(str(candidate), value, request) for candidate in expected) != negated


def _equal(pattern: str, value: str, request: Context) -> bool:
    return _like(pattern, value, request, wildcards=False)


def _equal_folded(pattern: str, value: str, request: Context) -> bool:
    return _like(pattern, value, request, wildcards=False, fold=True)


def _similar(pattern: str, value: str, request: Context) -> bool:
    return _like(pattern, value, request)


def _arn_like(pattern: str, value: str, request: Context) -> bool:
    """Each of the six parts of an ARN on its own: no wildcard reaches over a colon of the first five."""
    patterns, parts = pattern.split(":", 5), value.split(":", 5)
    return len(patterns) == len(parts) and all(
        _like(part_pattern, part, request) for part_pattern, part in zip(patterns, parts, strict=True)
    )


def _truth(pattern: str, value: str, _: Context) -> bool:
    return pattern.lower() == value.lower()


Test = Callable[[str, str, Context], bool]

OPERATORS: Mapping[str, tuple[Test, bool]] = {
    "StringEquals": (_equal, False),
    "StringNotEquals": (_equal, True),
    "StringEqualsIgnoreCase": (_equal_folded, False),
    "StringNotEqualsIgnoreCase": (_equal_folded, True),
    "StringLike": (_similar, False),
    "StringNotLike": (_similar, True),
    "ArnEquals": (_arn_like, False),
    "ArnNotEquals": (_arn_like, True),
    "ArnLike": (_arn_like, False),
    "ArnNotLike": (_arn_like, True),
    "Bool": (_truth, False),
}
"""Operator -> its test, and whether it holds when the test fails for every value."""


def _like(
    pattern: str, value: str, request: Context | None = None, *, wildcards: bool = True, fold: bool = False
) -> bool:
    """Whether a value fits a pattern; one with a variable that the request does not have fits nothing."""
    texts = VARIABLE.split(pattern) if request is not None else [pattern]
    expression = _expression(texts[0], wildcards)
    for name, text in zip(texts[1::2], texts[2::2], strict=True):
        if "," in name:
            raise NotImplementedError(f"policy variable with a default: {name}")
        replacement = name if name in LITERAL else (request or {}).get(name.lower())
        if replacement is None:
            return False
        expression += re.escape(replacement) + _expression(text, wildcards)
    return _compiled(expression, fold).fullmatch(value) is not None


@cache
def _expression(text: str, wildcards: bool) -> str:
    escaped = re.escape(text)
    return escaped.replace(r"\*", ".*").replace(r"\?", ".") if wildcards else escaped


@cache
def _compiled(expression: str, fold: bool) -> re.Pattern[str]:
    return re.compile(expression, re.DOTALL | (re.IGNORECASE if fold else 0))


def _folded(context: Context) -> Context:
    return {key.lower(): value for key, value in context.items()}


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]
