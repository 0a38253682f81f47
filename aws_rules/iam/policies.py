"""Policies as they are written: what AWS refuses in them, and what it takes although it has no effect.

IAM takes every action and condition key that looks like one. What does not exist never applies, and what the
statement is for is denied when it is needed; S3 and ECR refuse it at once. Both are mistakes here.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from aws_rules.iam import definitions
from aws_rules.iam.evaluation import OPERATORS, like, listed
from aws_rules.rule import Rule, Unknown, Verdict, Violation

GRAMMAR = Rule(
    name="policy-grammar",
    authority="AWS",
    decides="whether a policy is one: elements, versions, operators, principals, partitions, size",
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_grammar.html",
)
ACTIONS = Rule(
    name="policy-actions",
    authority="AWS",
    decides="whether the actions in a policy exist, and take the resources beside them",
    source="https://docs.aws.amazon.com/service-authorization/latest/reference/",
)
KEYS = Rule(
    name="policy-condition-keys",
    authority="AWS",
    decides="whether the condition keys in a policy exist, for the actions beside them",
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/access-analyzer-reference-policy-checks.html",
)

RULES = (GRAMMAR, ACTIONS, KEYS)


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A type of policies.

    code: of the error of who refuses one.
    services: prefixes of the actions that may be in it; all where it is empty.
    principal: whether statements name one. resource: whether they name one; None where they may.
    strict: who keeps it refuses actions and condition keys that do not exist: what it says of an action,
        of an action without a resource, of a key that does not exist, and of one that no action has.
    bytes: its size at most, without white space where that does not count.
    """

    code: str
    principal: bool
    bytes: int
    services: frozenset[str] = frozenset()
    resource: bool | None = True
    strict: tuple[str, str, str, str] | None = None


_ECR = "Invalid parameter at 'PolicyText' failed to satisfy constraint: 'Invalid {} policy provided'"

# Sizes: "IAM and AWS STS quotas", IAM User Guide; "Bucket policies", S3 User Guide; KMS and ECR quotas.
IDENTITY = Kind(code="MalformedPolicyDocument", principal=False, bytes=10240)
MANAGED = Kind(code="MalformedPolicyDocument", principal=False, bytes=6144)
SESSION = Kind(code="InvalidParameterException", principal=False, bytes=2048)
TRUST = Kind(code="MalformedPolicyDocument", principal=True, resource=False, bytes=2048)
BUCKET = Kind(
    code="MalformedPolicy",
    principal=True,
    bytes=20480,
    services=frozenset({"s3"}),
    # versity/versitygw#650, #645; awsdocs: "Conditions do not apply to combination of actions and resources".
    strict=(
        "Policy has invalid action",
        "Action does not apply to any resource(s) in statement",
        "Policy has an invalid condition key",
        "Conditions do not apply to combination of actions and resources in statement",
    ),
)
KEY = Kind(code="MalformedPolicyDocumentException", principal=True, bytes=32768)
ENDPOINT = Kind(code="InvalidPolicyDocument", principal=True, bytes=20480)
REPOSITORY = Kind(
    code="InvalidParameterException",
    principal=True,
    resource=None,
    bytes=10240,
    services=frozenset({"ecr"}),
    strict=(_ECR.format("repository"),) * 4,
)
REGISTRY = Kind(
    code="InvalidParameterException",
    principal=True,
    bytes=10240,
    services=frozenset({"ecr"}),
    strict=(_ECR.format("registry"),) * 4,
)

TRUST_ACTIONS = frozenset(
    f"sts:{name}".lower()
    for name in (
        "AssumeRole",
        "AssumeRoleWithSAML",
        "AssumeRoleWithWebIdentity",
        "SetContext",
        "SetSourceIdentity",
        "TagSession",
    )
)

VERSIONS = ("2008-10-17", "2012-10-17")
ELEMENTS = frozenset(
    {
        "Sid",
        "Effect",
        "Principal",
        "NotPrincipal",
        "Action",
        "NotAction",
        "Resource",
        "NotResource",
        "Condition",
    }
)
SID = re.compile(r"[0-9A-Za-z]*")
SERVICE = re.compile(
    r"[a-z0-9][a-z0-9.-]*\.(amazonaws\.(com|com\.cn|eu)|aws\.internal|([a-z0-9-]+\.)*(gov|uk))"
    r"|alexa-[a-z]+\.amazon\.com"
)
"""Principal that is a service of AWS (IAM User Guide, "AWS service principals")."""

CUTOFF = 0.85
"""How much alike a name and one that exists must be for the first to be a slip; others may be newer."""


def mistakes(document: Any, kind: Kind, resource: str, partition: str, bucket: str = "") -> Iterator[Verdict]:
    """What is wrong with a policy, as text or as what it says.

    resource: whose policy it is, for messages. partition: of the account that it is for.
    bucket: that it is for, if it is known.
    """
    yield from _Policy(kind, resource, partition, bucket).mistakes(document)


@dataclass(frozen=True)
class _Policy:
    kind: Kind
    resource: str
    partition: str
    bucket: str

    def refusal(self, rule: Rule, message: str, remedy: str, code: str = "") -> Violation:
        return Violation(
            rule=rule,
            resource=self.resource,
            code=code or self.kind.code,
            message=message,
            remedy=remedy,
        )

    def mistakes(self, document: Any) -> Iterator[Verdict]:
        if isinstance(document, str):
            size = len(re.sub(r"\s", "", document).encode())
            if size > self.kind.bytes:
                yield self.refusal(
                    GRAMMAR,
                    f"the policy has {size} bytes, and {self.kind.bytes} are the most",
                    "split it, or say more with fewer statements",
                    "LimitExceeded",
                )
            try:
                document = json.loads(document)
            except ValueError as error:
                yield self.refusal(
                    GRAMMAR, f"This policy contains invalid Json ({error})", "correct the JSON"
                )
                return
        statements = listed(document.get("Statement", [])) if isinstance(document, Mapping) else []
        if not statements or not all(isinstance(statement, Mapping) for statement in statements):
            yield self.refusal(GRAMMAR, "Syntax errors in policy", "write a policy with statements")
            return
        if document.get("Version", VERSIONS[0]) not in VERSIONS:
            yield self.refusal(
                GRAMMAR,
                f"Syntax errors in policy: there is no version {document['Version']} of the policy language",
                f"write {VERSIONS[1]}, which is not the date of the policy",
            )
        sids = [statement["Sid"] for statement in statements if statement.get("Sid")]
        for sid in sorted({sid for sid in sids if sids.count(sid) > 1}):
            yield self.refusal(
                GRAMMAR,
                f"Statement IDs (SID) in a single policy must be unique, and several are {sid}",
                "give each statement a Sid of its own",
            )
        for number, statement in enumerate(statements, start=1):
            yield from self.statement(statement, str(statement.get("Sid") or number))

    def statement(self, statement: Mapping[str, Any], name: str) -> Iterator[Verdict]:
        faults = [
            *self.grammar(statement, name),
            *self.partitions(statement, name),
            *self.other_buckets(statement, name),
            *self.services(statement, name),
        ]
        yield from faults
        if faults:
            return
        actions: list[str] = []
        complete = "Action" in statement
        for pattern in listed(statement.get("Action", statement.get("NotAction"))):
            expansion = definitions.expanded(pattern)
            actions += expansion
            if pattern == "*":
                complete = False
            elif not expansion:
                complete = False
                yield self.unknown_action(pattern, name)
            elif self.kind.services and pattern.partition(":")[0].lower() not in self.kind.services:
                complete = False
                yield self.refusal(
                    ACTIONS,
                    self.kind.strict[0] if self.kind.strict else f"{pattern} is no action for such a policy",
                    f"take {pattern} out of statement {name}",
                )
        resources = listed(statement.get("Resource", ["*"])) if "NotResource" not in statement else ["*"]
        if complete and self.kind.resource is not None:
            yield from self.resources(statement, resources, name)
        for key, obligatory in _keys(statement):
            yield from self.key(key, actions if complete and obligatory else None, name)

    def grammar(self, statement: Mapping[str, Any], name: str) -> Iterator[Violation]:
        wrong = []
        if unknown := sorted(statement.keys() - ELEMENTS):
            wrong.append(f"has {', '.join(unknown)}, which no statement has")
        if statement.get("Effect") not in ("Allow", "Deny"):
            wrong.append(f"has the effect {statement.get('Effect')}, which is neither Allow nor Deny")
        if ("Action" in statement) == ("NotAction" in statement):
            wrong.append("needs either Action or NotAction")
        if "Resource" in statement and "NotResource" in statement:
            wrong.append("has both Resource and NotResource")
        names_one = {"Resource", "NotResource"} & statement.keys()
        if self.kind.resource is not None and bool(names_one) != self.kind.resource:
            wrong.append("must contain resources" if self.kind.resource else "Has prohibited field Resource")
        names_who = {"Principal", "NotPrincipal"} & statement.keys()
        if bool(names_who) != self.kind.principal:
            wrong.append("needs a Principal" if self.kind.principal else "should not specify a principal")
        if self.kind in (IDENTITY, MANAGED, SESSION, TRUST) and not SID.fullmatch(
            str(statement.get("Sid", ""))
        ):
            wrong.append("has a Sid with other characters than letters and digits")
        for operator in statement.get("Condition", {}):
            base = operator.rpartition(":")[2]
            # Null is the one operator that has no IfExists.
            if base.removesuffix("IfExists") not in OPERATORS and base != "Null":
                wrong.append(f"has Invalid Condition type : {operator}")
        for pattern in listed(statement.get("Action", statement.get("NotAction", []))):
            if pattern != "*" and not re.fullmatch(r"[A-Za-z0-9*?-]+:[A-Za-z0-9*?]+", str(pattern)):
                wrong.append(f"has the action {pattern}, and Actions/Conditions must be prefaced by a vendor")
        for message in wrong:
            yield self.refusal(GRAMMAR, f"statement {name} {message}", "correct the statement")
        if not wrong:
            yield from self.trust_actions(statement, name)

    def partitions(self, statement: Mapping[str, Any], name: str) -> Iterator[Violation]:
        for arn in listed(statement.get("Resource", [])) + listed(statement.get("NotResource", [])):
            partition = arn.split(":")[1] if arn.startswith("arn:") and arn.count(":") > 4 else None
            if arn != "*" and partition is None:
                yield self.refusal(
                    GRAMMAR,
                    f'Resource {arn} must be in ARN format or "*"',
                    f"write an ARN in statement {name}",
                )
            elif partition and not like(partition, self.partition) and "$" not in partition:
                yield self.refusal(
                    GRAMMAR,
                    f'Partition "{partition}" is not valid for resource "{arn}"',
                    f"write arn:{self.partition}: in statement {name}, the partition of its account",
                )
        principal = statement.get("Principal", statement.get("NotPrincipal"))
        for arn in listed(principal.get("AWS", [])) if isinstance(principal, Mapping) else []:
            account = arn.startswith("arn:") and arn.split(":")[1]
            if arn != "*" and ("*" in arn or (account and account != self.partition)):
                yield self.refusal(
                    GRAMMAR,
                    f'Invalid principal in policy: "AWS":"{arn}"',
                    f"name an account, a role or a user of partition {self.partition} in statement {name}, "
                    "without wildcards",
                )

    def other_buckets(self, statement: Mapping[str, Any], name: str) -> Iterator[Violation]:
        """Resources of a bucket's policy that are not its own (noobaa/noobaa-core#10058)."""
        if self.kind is not BUCKET:
            return
        for arn in listed(statement.get("Resource", [])) + listed(statement.get("NotResource", [])):
            own = arn.split(":", 5)[-1].partition("/")[0] if arn.startswith("arn:") else ""
            if arn == "*" or (own and self.bucket and not like(own, self.bucket)):
                yield self.refusal(
                    GRAMMAR,
                    f"Policy has invalid resource: {arn}",
                    f"name the bucket, arn:{self.partition}:s3:::{self.bucket or '<name>'}, or objects "
                    f"of it in statement {name}",
                )

    def services(self, statement: Mapping[str, Any], name: str) -> Iterator[Violation]:
        principal = statement.get("Principal", statement.get("NotPrincipal"))
        for service in listed(principal.get("Service", [])) if isinstance(principal, Mapping) else []:
            if not SERVICE.fullmatch(str(service)):
                yield self.refusal(
                    GRAMMAR,
                    f'Invalid principal in policy: "SERVICE":"{service}"',
                    f"write <service>.amazonaws.com in statement {name}",
                )

    def unknown_action(self, pattern: str, name: str) -> Verdict:
        prefix, _, action = pattern.partition(":")
        if definitions.named_by_aws(pattern):
            return Unknown(rule=ACTIONS, resource=self.resource, lacks=f"what {pattern} takes")
        if not definitions.known_service(prefix) and not set("*?") & set(prefix):
            return Unknown(
                rule=ACTIONS, resource=self.resource, lacks=f"service {prefix} of action {pattern}"
            )
        spellings = {candidate.lower(): candidate for candidate in definitions.actions(prefix)}
        close = get_close_matches(action.lower(), spellings, 1, CUTOFF)
        wildcard = set("*?") & set(pattern)
        if not close and not wildcard and not self.kind.strict:
            return Unknown(rule=ACTIONS, resource=self.resource, lacks=f"action {pattern}")
        remedy = (
            f"did you mean {prefix}:{spellings[close[0]]} in statement {name}"
            if close
            else (f"correct it in statement {name}")
        )
        if self.kind.strict:
            return self.refusal(ACTIONS, f"{self.kind.strict[0]}: {pattern}", remedy)
        return self.refusal(
            ACTIONS, _no_effect(f"The action {pattern} does not exist"), remedy, "INVALID_ACTION"
        )

    def trust_actions(self, statement: Mapping[str, Any], name: str) -> Iterator[Violation]:
        patterns = listed(statement.get("Action", []))
        if self.kind is TRUST and any(pattern.lower() not in TRUST_ACTIONS for pattern in patterns):
            yield self.refusal(
                GRAMMAR,
                "AssumeRole policy may only specify STS AssumeRole actions",
                f"leave only sts:AssumeRole and the like in statement {name}",
            )

    def resources(
        self, statement: Mapping[str, Any], resources: Sequence[str], name: str
    ) -> Iterator[Verdict]:
        """Actions that take none of the resources beside them: S3 refuses each, and IAM takes them all."""
        if "*" in resources or self.kind is KEY:
            return
        unfit = [pattern for pattern in listed(statement["Action"]) if not _any_takes(pattern, resources)]
        if self.kind.strict:
            for pattern in unfit:
                yield self.refusal(
                    ACTIONS,
                    f"{self.kind.strict[1]}: {pattern}",
                    f"name {_resource_types(pattern)} in statement {name}",
                )
        elif statement["Effect"] == "Allow" and len(unfit) == len(listed(statement["Action"])):
            if all(_resource_types(pattern) == "*" for pattern in unfit):
                message = f"{' and '.join(unfit)} of statement {name} are not about single resources"
                yield self.refusal(ACTIONS, _no_effect(message), "give it the resource *", "AccessDenied")
            else:
                lacks = f"how {' and '.join(unfit)} would take {' or '.join(resources)}"
                yield Unknown(rule=ACTIONS, resource=self.resource, lacks=lacks)

    def key(self, key: str, actions: Sequence[str] | None, name: str) -> Iterator[Verdict]:
        """A condition key: whether it exists, and whether one of these actions has it."""
        if definitions.is_global(key):
            return
        prefix = key.partition(":")[0].lower()
        tag = key.lower().startswith(("aws:requesttag/", "aws:resourcetag/", "aws:tagkeys"))
        if prefix == "aws" and not tag:
            yield self.unknown_key(key, sorted(definitions.GLOBAL_KEYS), name)
            return
        if prefix != "aws" and not definitions.known_service(prefix):
            yield Unknown(rule=KEYS, resource=self.resource, lacks=f"service {prefix} of condition key {key}")
            return
        candidates = definitions.service_keys(prefix)
        if not tag and not definitions.fits(key.lower(), [_pattern(candidate) for candidate in candidates]):
            yield self.unknown_key(key, candidates, name)
        elif actions and not any(definitions.takes_key(action, key) for action in actions):
            examples = ", ".join(sorted(set(actions))[:3])
            if self.kind.strict:
                yield self.refusal(KEYS, f"{self.kind.strict[3]}: {key}", f"correct statement {name}")
            else:
                yield self.refusal(
                    KEYS,
                    _no_effect(f"No request of {examples} has the condition key {key} of statement {name}"),
                    "use a key that the Service Authorization Reference lists for the action",
                    "AccessDenied",
                )

    def unknown_key(self, key: str, candidates: Sequence[str], name: str) -> Verdict:
        # Of a key with a tag's key behind it, what is before.
        spellings = {candidate.partition("/")[0].lower(): candidate for candidate in candidates}
        close = get_close_matches(key.partition("/")[0].lower(), spellings, 1, CUTOFF)
        if not close and not self.kind.strict:
            return Unknown(rule=KEYS, resource=self.resource, lacks=f"condition key {key}")
        remedy = f"did you mean {spellings[close[0]]} in statement {name}" if close else f"correct {name}"
        if self.kind.strict:
            return self.refusal(KEYS, f"{self.kind.strict[2]}: {key}", remedy)
        prefix = key.partition(":")[0]
        where, code = ("", "GLOBAL") if prefix == "aws" else (f" in the service {prefix}", "SERVICE")
        message = f"The condition key {key} does not exist{where}"
        return self.refusal(KEYS, _no_effect(message), remedy, f"INVALID_{code}_CONDITION_KEY")


def _no_effect(finding: str) -> str:
    """The words of IAM Access Analyzer for what is taken and has no effect."""
    return f"{finding}; the policy would be taken, and the statement never apply"


def _keys(statement: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Condition keys of a statement, and whether it applies only where a request has them."""
    for operator, keys in statement.get("Condition", {}).items():
        base = operator.rpartition(":")[2]
        absent = base == "Null" or base.endswith("IfExists") or operator.startswith("ForAllValues:")
        negated = not absent and OPERATORS[base][1]
        for key in keys:
            yield key, not absent and not negated


def _any_takes(pattern: str, resources: Sequence[str]) -> bool:
    """Whether an action of a pattern takes one of these resources."""
    return any(
        _overlap(resource_type, arn)
        for action in definitions.expanded(pattern)
        for resource_type in definitions.resource_types(action)
        for arn in resources
    )


def _resource_types(pattern: str) -> str:
    """The resources that the actions of a pattern take, for messages."""
    types = {
        resource_type
        for action in definitions.expanded(pattern)
        for resource_type in definitions.resource_types(action)
    }
    return " or ".join(sorted(types)) or "*"


def _pattern(key: str) -> str:
    return definitions.VARIABLE.sub("*", key).lower()


def _overlap(pattern: str, other: str) -> bool:
    """Whether there may be an ARN that fits both patterns; policy variables stand for anything.

    Both directions are tried, and then the six parts one by one: an ARN that two patterns with wildcards in
    different places share is found where no part of the one excludes that of the other.
    """
    other = re.sub(r"\$\{[^}]*\}", "*", other)
    parts, other_parts = pattern.split(":", 5), other.split(":", 5)
    if len(parts) != len(other_parts):
        return like(pattern, other) or like(other, pattern)
    return all(_meet(part, other_part) for part, other_part in zip(parts, other_parts, strict=True))


def _meet(pattern: str, other: str) -> bool:
    """Whether two patterns of `*` and `?` have a text in common."""
    waiting, places = [(0, 0)], set()
    while waiting:
        left, right = place = waiting.pop()
        if place in places:
            continue
        places.add(place)
        if left == len(pattern) or right == len(other):
            if not (pattern[left:] + other[right:]).strip("*"):
                return True
        elif "*" in (pattern[left], other[right]):
            # It stands for nothing more, or for what the other one has next.
            waiting += [(left + 1, right), (left, right + 1)]
        elif pattern[left] == other[right] or "?" in (pattern[left], other[right]):
            waiting.append((left + 1, right + 1))
    return False
