"""IAM's evaluation of policies: whether a request is allowed, and if not, which type of policy denies it.

Sources: "Policy evaluation logic", "IAM JSON policy elements" and "Policy variables" in the IAM User Guide;
"Key policies in AWS KMS" in the KMS Developer Guide. Service control and resource control policies are left
out: they only ever take away.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache, lru_cache
from ipaddress import ip_address, ip_network
from operator import eq, ge, gt, le, lt
from typing import Any, Literal

Policy = Mapping[str, Any]
"""A policy document: Version, and Statement."""

Context = Mapping[str, str | Sequence[str]]
"""Condition key -> value in a request, or values where the key has several."""

By = Literal["itself", "its account"]
"""How the principal of a statement names a caller; an account leaves it to its own policies."""

PolicyType = Literal[
    "identity-based policy",
    "permissions boundary",
    "resource-based policy",
    "role trust policy",
    "session policy",
    "VPC endpoint policy",
]
"""Types of policies, in the words of IAM's messages."""

OWN_POLICY_DECIDES = frozenset({"kms", "sts"})
"""Services where an identity's policy does nothing unless the resource's own policy refers to it."""

UNTOLD_KEYS = frozenset(
    f"aws:{key}"
    for key in [
        "ec2instancesourceprivateipv4",
        "ec2instancesourcevpc",
        "principalorgid",
        "principalorgpaths",
        "requestedregion",
        "resourceaccount",
        "resourceorgid",
        "resourceorgpaths",
        "sourceip",
        "sourcevpc",
        "sourcevpcarn",
        "sourcevpce",
        "tokenissuetime",
        "useragent",
        "userid",
        "vpceaccount",
        "vpceorgid",
        "vpceorgpaths",
        "vpcsourceip",
    ]
) | {"ec2:sourceinstancearn"}
"""Condition keys that requests have on AWS, with values that only AWS or the network knows.

Where a request does not give one, a statement that asks for it may apply, and may not. The same goes for the
keys of the service that is asked, but for those in OPTIONAL_KEYS.
"""

INVENTED_KEYS = frozenset(
    f"aws:{kind}/kubernetes-pod-{tag}" for kind in ("principaltag", "requesttag") for tag in ("name", "uid")
)
"""Keys whose values stand for any: those of a pod that is not there yet."""

OPTIONAL_KEYS = (
    "*:createaction",
    "*:requesttag/*",
    "*:resourcetag/*",
    "iam:awsservicename",
    "iam:permissionsboundary",
    "kms:bypass*",
    "kms:encryptioncontext*",
    "kms:grant*",
    "kms:recipientattestation*",
    "kms:retiringprincipal",
    "kms:viaservice",
    "s3:delimiter",
    "s3:max-keys",
    "s3:prefix",
    "s3:requestobjecttag*",
    "s3:versionid",
    "s3:x-amz-*",
)
"""Keys of services that only some requests have: one that is not given is not there.

Source: https://docs.aws.amazon.com/service-authorization/latest/reference/
"""

VARIABLE = re.compile(r"\$\{([^}]*)\}")
LITERAL = {"*", "?", "$"}


@dataclass(frozen=True, kw_only=True)
class Role:
    """A session of a role.

    arn: of the role, path included. session: name of the session.
    policies: what is attached to it.
    boundary: its permissions boundary, if any.
    session_policy: what whoever took the role bounded the session by, if anything.
    tags: of the session.
    """

    arn: str
    policies: tuple[Policy, ...] = ()
    boundary: Policy | None = None
    session_policy: Policy | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    session: str = "session"

    @property
    def account(self) -> str:
        """Account of the role."""
        return self.arn.split(":")[4]

    @property
    def name(self) -> str:
        """Name of the role, without its path."""
        return self.arn.rpartition("/")[2]

    @property
    def session_arn(self) -> str:
        """ARN of the session, by which AWS's messages name the caller."""
        partition = self.arn.split(":")[1]
        return f"arn:{partition}:sts::{self.account}:assumed-role/{self.name}/{self.session}"

    @property
    def context(self) -> Context:
        """What every request of it says of the caller."""
        tags = {f"aws:PrincipalTag/{key}": value for key, value in self.tags.items()}
        own = {
            "aws:PrincipalAccount": self.account,
            "aws:PrincipalIsAWSService": "false",
            "aws:PrincipalType": "AssumedRole",
            "kms:CallerAccount": self.account,
        }
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

    arn: its name; account: whose it is, which an S3 ARN does not say; empty where nobody knows.
    policy: its own, if any: of a bucket, a key, or the trust policy of a role.
    unusable: why nobody may use it, as its service says it: a key that is disabled, or is not there.
    """

    arn: str
    account: str
    policy: Policy | None = None
    unusable: str = ""


@dataclass(frozen=True, kw_only=True)
class Denial:
    """Why a request is denied.

    by: the type of policy that denies it, or that nothing of allows it.
    explicit: a statement denies it.
    unusable: why nobody may use the resource, if that is it.
    """

    by: PolicyType
    explicit: bool = False
    unusable: str = ""

    def because(self, action: str) -> str:
        """The last part of IAM's message.

        Source: "Troubleshoot access denied error messages", IAM User Guide:
        https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied.html
        """
        if self.explicit:
            return f"with an explicit deny in {'an' if self.by[0] == 'i' else 'a'} {self.by}"
        return f"because no {self.by} allows the {action} action"


class Undecided(Exception):
    """What a policy says cannot be judged, or depends on something that is not known here; says what."""


def allowed(
    caller: Role | Service,
    action: str,
    resource: Resource,
    context: Context | None = None,
    endpoint: Policy | None = None,
) -> bool:
    """Whether a caller may do this; the arguments and errors are those of `denial`."""
    return denial(caller, action, resource, context, endpoint) is None


def denial(
    caller: Role | Service,
    action: str,
    resource: Resource,
    context: Context | None = None,
    endpoint: Policy | None = None,
) -> Denial | None:
    """Why a caller may not do this; None where it may.

    context: what the request says, besides who asks and that it is made over TLS.
    endpoint: policy of the VPC endpoint that the request goes through, if it goes through one.
    Raises Undecided where it depends on what only AWS knows, or a policy says what this cannot judge.
    """
    if resource.unusable:
        return Denial(by="resource-based policy", unusable=resource.unusable)
    now = datetime.now(UTC)
    own = {
        "aws:CurrentTime": now.isoformat(),
        "aws:EpochTime": str(int(now.timestamp())),
        "aws:SecureTransport": "true",
        # Of every request that an SDK signs.
        "s3:authType": "REST-HEADER",
        "s3:signatureversion": "AWS4-HMAC-SHA256",
    }
    if resource.account:
        own |= {"aws:ResourceAccount": resource.account, "s3:ResourceAccount": resource.account}
    request = _Request(caller, action, resource.arn, _folded({**own, **caller.context, **(context or {})}))
    at_best = _denial(request, resource, endpoint, doubtful="Allow")
    if at_best is None and _denial(request, resource, endpoint, doubtful="Deny") is not None:
        raise Undecided(f"the value of {', '.join(sorted(request.untold))} in {action} on {resource.arn}")
    return at_best


@dataclass(frozen=True)
class _Request:
    """A request, and the keys that it was asked for and nothing here knows."""

    caller: Role | Service
    action: str
    arn: str
    context: Context
    untold: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class _Effects:
    """What the statements of a type of policies say: how they allow, and whether one denies."""

    allow: frozenset[By]
    deny: bool


def _denial(
    request: _Request, resource: Resource, endpoint: Policy | None, doubtful: Literal["Allow", "Deny"]
) -> Denial | None:
    """The same; statements that may apply, and may not, do so if they have the effect `doubtful`."""
    caller, action = request.caller, request.action

    def effects(policies: Iterable[Policy | None], *, principals: bool) -> _Effects:
        applying = [
            (statement["Effect"], principal_kind)
            for policy in policies
            if policy is not None
            for statement, principal_kind, certain in _applying(policy, request, principals=principals)
            if certain or statement["Effect"] == doubtful
        ]
        allow = frozenset(principal_kind for effect, principal_kind in applying if effect == "Allow")
        return _Effects(allow, any(effect == "Deny" for effect, _ in applying))

    by_resource = effects([resource.policy], principals=True)
    # Services name themselves in trust policies too, but those are called so only for people and roles.
    own: PolicyType = "role trust policy" if action.startswith("sts:") else "resource-based policy"
    if isinstance(caller, Service):
        if by_resource.deny:
            return Denial(by=own, explicit=True)
        return None if by_resource.allow else Denial(by=own)

    by_identity = effects(caller.policies, principals=False)
    limits: list[tuple[PolicyType, _Effects]] = []
    if endpoint is not None:
        limits.append(("VPC endpoint policy", effects([endpoint], principals=True)))
    if caller.boundary is not None:
        limits.append(("permissions boundary", effects([caller.boundary], principals=False)))
    if caller.session_policy is not None:
        limits.append(("session policy", effects([caller.session_policy], principals=False)))

    layers: list[tuple[PolicyType, _Effects]] = [
        (own, by_resource),
        ("identity-based policy", by_identity),
        *limits,
    ]
    for by, effect in layers:
        if effect.deny:
            return Denial(by=by, explicit=True)
    if caller.account != resource.account:
        enough = {"identity-based policy": bool(by_identity.allow), own: bool(by_resource.allow)}
    elif "itself" in by_resource.allow:
        enough = {}
    elif action.partition(":")[0] in OWN_POLICY_DECIDES:
        enough = {own: bool(by_resource.allow), "identity-based policy": bool(by_identity.allow)}
    else:
        enough = {"identity-based policy": bool(by_identity.allow)}
    for kind, holds in [*enough.items(), *((by, bool(effect.allow)) for by, effect in limits)]:
        if not holds:
            return Denial(by=kind)
    return None


def statements_of(policy: Policy) -> list[Mapping[str, Any]]:
    """Statements of a policy."""
    statements: list[Mapping[str, Any]] = listed(policy["Statement"])
    return statements


def listed(value: Any) -> list[Any]:
    """A value of a policy as a list: where several may be, one may stand alone."""
    return list(value) if isinstance(value, list | tuple) else [value]


def _applying(
    policy: Policy, request: _Request, *, principals: bool
) -> Iterator[tuple[Mapping[str, Any], By, bool]]:
    """Statements of a policy that apply, how they name the caller, and whether that is certain.

    principals: they have a Principal, as the policies of resources and endpoints do.
    """
    # In the older version, `${` is text like any other.
    variables = request.context if policy.get("Version") == "2012-10-17" else None
    for statement in statements_of(policy):
        principal_kind = _principal_kind(statement, request.caller) if principals else "itself"
        if not principal_kind or not _acts(statement, request.action):
            continue
        about = _about(statement, request, variables)
        holds = _holds(statement, request, variables)
        if about is not False and holds is not False:
            yield statement, principal_kind, bool(about and holds)


def _principal_kind(statement: Mapping[str, Any], caller: Role | Service) -> By | None:
    if "Principal" not in statement:
        raise Undecided(f"a resource's statement without Principal: {sorted(statement)}")
    principal = statement["Principal"]
    kinds = {"AWS": "*", "Service": "*"} if principal == "*" else principal
    if isinstance(caller, Service):
        return "itself" if {"*", caller.name} & set(listed(kinds.get("Service", []))) else None
    names = set(listed(kinds.get("AWS", [])))
    if unknown := {name for name in names if "*" in name and name != "*"}:
        raise Undecided(f"AWS refuses wildcards in a principal: {sorted(unknown)}")
    if {"*", caller.arn, caller.session_arn} & names:
        return "itself"
    whole = {caller.account} | {name for name in names if name.endswith(f":iam::{caller.account}:root")}
    return "its account" if whole & names else None


def _acts(statement: Mapping[str, Any], action: str) -> bool:
    if "Action" in statement:
        return any(_names_action(pattern, action) for pattern in listed(statement["Action"]))
    return not any(_names_action(pattern, action) for pattern in listed(statement["NotAction"]))


# Asked for every statement of every request, and there are few of either.
@lru_cache(maxsize=2**16)
def _names_action(pattern: str, action: str) -> bool:
    return like(pattern, action, fold=True)


def _about(statement: Mapping[str, Any], request: _Request, variables: Context | None) -> bool | None:
    """Whether it is about a request's resource; None where that depends on a variable that is not known.

    A trust policy is about its role and names no resource.
    """
    kind = "Resource" if "Resource" in statement else "NotResource"
    if kind not in statement:
        return True
    patterns = listed(statement[kind])
    if any(like(pattern, request.arn, variables) for pattern in patterns):
        return kind == "Resource"
    for pattern in patterns if variables is not None else ():
        keys = {name.partition(",")[0].strip() for name in VARIABLE.findall(pattern)}
        untold = {key for key in keys if _untold(key, request)}
        if untold and like(VARIABLE.sub("*", pattern), request.arn):
            request.untold.update(untold)
            return None
    return kind != "Resource"


def _holds(statement: Mapping[str, Any], request: _Request, variables: Context | None) -> bool | None:
    """Whether every condition holds; None where that cannot be known."""
    doubtful = set()
    for operator, keys in statement.get("Condition", {}).items():
        for key, values in keys.items():
            if _untold(key, request):
                doubtful.add(key)
            elif not _meets(operator, request.context.get(key.lower()), listed(values), variables):
                return False
    request.untold.update(doubtful)
    return None if doubtful else True


def _untold(key: str, request: _Request) -> bool:
    """Whether a request has a condition key on AWS, with a value that is not known here."""
    name = key.lower()
    if name in INVENTED_KEYS:
        return True
    if name in request.context:
        return False
    of_service = name.partition(":")[0] == request.action.partition(":")[0].lower()
    return name in UNTOLD_KEYS or (of_service and not any(like(pattern, name) for pattern in OPTIONAL_KEYS))


def _meets(
    operator: str, value: str | Sequence[str] | None, expected: list[Any], variables: Context | None
) -> bool:
    if operator == "Null":
        return any((value is None) == (str(candidate).lower() == "true") for candidate in expected)
    qualifier, separator, rest = operator.partition(":")
    base = (rest if separator else operator).removesuffix("IfExists")
    if base not in OPERATORS or (separator and qualifier not in ("ForAllValues", "ForAnyValue")):
        raise Undecided(f"condition operator {operator}")
    test, negated = OPERATORS[base]
    if value is None:
        # Nothing is all of it, and none of it is any.
        return qualifier == "ForAllValues" or operator.endswith("IfExists") or (negated and not separator)
    values = [value] if isinstance(value, str) else list(value)

    def meets(item: str) -> bool:
        return any(test(str(candidate), item, variables) for candidate in expected) != negated

    every = qualifier == "ForAllValues" or (negated and not separator)
    return all(map(meets, values)) if every else any(map(meets, values))


def _equal(pattern: str, value: str, variables: Context | None) -> bool:
    return like(pattern, value, variables, wildcards=False)


def _equal_folded(pattern: str, value: str, variables: Context | None) -> bool:
    return like(pattern, value, variables, wildcards=False, fold=True)


def _similar(pattern: str, value: str, variables: Context | None) -> bool:
    return like(pattern, value, variables)


def _arn_like(pattern: str, value: str, variables: Context | None) -> bool:
    """Each of the six parts of an ARN on its own: no wildcard reaches over a colon of the first five."""
    patterns, parts = pattern.split(":", 5), value.split(":", 5)
    return len(patterns) == len(parts) and all(
        like(part_pattern, part, variables) for part_pattern, part in zip(patterns, parts, strict=True)
    )


def _truth(pattern: str, value: str, _: Context | None) -> bool:
    return pattern.lower() == value.lower()


def _within(network: str, value: str, _: Context | None) -> bool:
    return ip_address(value) in ip_network(network, strict=False)


def _moment(text: str) -> float:
    """A date, in ISO 8601 or in seconds since 1970."""
    try:
        return float(text)
    except ValueError:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


Test = Callable[[str, str, Context | None], bool]


def _comparison(read: Callable[[str], float], compare: Callable[[float, float], bool]) -> Test:
    return lambda expected, value, _: compare(read(value), read(expected))


COMPARISONS: Mapping[str, tuple[Callable[[float, float], bool], bool]] = {
    "Equals": (eq, False),
    "NotEquals": (eq, True),
    "LessThan": (lt, False),
    "LessThanEquals": (le, False),
    "GreaterThan": (gt, False),
    "GreaterThanEquals": (ge, False),
}

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
    "BinaryEquals": (_equal, False),
    "IpAddress": (_within, False),
    "NotIpAddress": (_within, True),
    **{
        f"{kind}{name}": (_comparison(read, compare), negated)
        for kind, read in (("Numeric", float), ("Date", _moment))
        for name, (compare, negated) in COMPARISONS.items()
    },
}
"""Operator -> its test, and whether it holds when the test fails for every value."""


def like(
    pattern: str, value: str, variables: Context | None = None, *, wildcards: bool = True, fold: bool = False
) -> bool:
    """Whether a value fits a pattern; one with a variable that the request does not have fits nothing.

    variables: of the request; None where `${` is text like any other.
    """
    texts = VARIABLE.split(pattern) if variables is not None else [pattern]
    expression = _expression(texts[0], wildcards)
    for name, text in zip(texts[1::2], texts[2::2], strict=True):
        replacement = _replacement(name, variables or {})
        if replacement is None:
            return False
        expression += re.escape(replacement) + _expression(text, wildcards)
    return _pattern(expression, fold).fullmatch(value) is not None


def _replacement(variable: str, variables: Context) -> str | None:
    """What stands for `${key}` or `${key, 'default'}`; None for a key that is not there, or has several."""
    if variable in LITERAL:
        return variable
    key, separator, default = variable.partition(",")
    value = variables.get(key.strip().lower())
    if isinstance(value, str):
        return value
    return default.strip().strip("'") if separator and value is None else None


@cache
def _expression(text: str, wildcards: bool) -> str:
    escaped = re.escape(text)
    return escaped.replace(r"\*", ".*").replace(r"\?", ".") if wildcards else escaped


@cache
def _pattern(expression: str, fold: bool) -> re.Pattern[str]:
    return re.compile(expression, re.DOTALL | (re.IGNORECASE if fold else 0))


def _folded(context: Context) -> Context:
    return {key.lower(): value for key, value in context.items()}
