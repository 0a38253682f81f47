"""Buckets of S3: names, encryption, lifecycles."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from aws_rules.rule import Rule
from aws_rules.values.request import LATER, Path, Request, ValueVerdict

NAME_RULE = Rule(
    name="bucket-names",
    authority="AWS",
    decides="how a bucket may be named",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html",
)
ENCRYPTION_RULE = Rule(
    name="bucket-encryption",
    authority="AWS",
    decides="which encryption of a bucket takes a key",
    source="https://docs.aws.amazon.com/AmazonS3/latest/API/API_ServerSideEncryptionByDefault.html",
)
LIFECYCLE_RULE = Rule(
    name="bucket-lifecycles",
    authority="AWS",
    decides="which rules of a lifecycle fit each other",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/lifecycle-transition-general-considerations.html",
)

POLICY_RULE = Rule(
    name="bucket-policies",
    authority="AWS",
    decides="whether a bucket's policy is for everybody where that is blocked",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html",
)

RULES = (NAME_RULE, ENCRYPTION_RULE, LIFECYCLE_RULE, POLICY_RULE)

MALFORMED_XML = "The XML you provided was not well-formed or did not validate against our published schema"

NAME = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
ADDRESS = re.compile(r"\d+\.\d+\.\d+\.\d+")
PREFIXES = ("xn--", "sthree-", "amzn-s3-demo-")
SUFFIXES = ("-s3alias", "--ol-s3", ".mrap", "--x-s3", "--table-s3", "-an")

MOST_RULES = 1000
LONGEST_ID = 255
POSITIVE: Mapping[str, str] = {
    "NoncurrentVersionExpiration": "NoncurrentDays",
    "AbortIncompleteMultipartUpload": "DaysAfterInitiation",
}
"""Action -> its member with days."""
MIDNIGHT = re.compile(r"^\d{4}-\d\d-\d\d([T ]00:00:00(\.0+)?(Z|\+00:00)?)?$")
LEAST_DAYS: Mapping[str, int] = {"STANDARD_IA": 30, "ONEZONE_IA": 30}
"""Storage class -> days before an object can be in it. Source: of the rule."""
ACTIONS = (
    "Expiration",
    "Transitions",
    "NoncurrentVersionTransitions",
    "NoncurrentVersionExpiration",
    "AbortIncompleteMultipartUpload",
)


def bucket(request: Request) -> Iterator[ValueVerdict]:
    """The name of a bucket."""
    name = request.value_at("Bucket")
    if not isinstance(name, str):
        return
    affix = next((word for word in PREFIXES if name.startswith(word)), None) or next(
        (word for word in SUFFIXES if name.endswith(word) and word != "-an"), None
    )
    if not NAME.fullmatch(name) or ".." in name or ADDRESS.fullmatch(name) or affix:
        remedy = "use 3 to 63 lower-case letters, digits, hyphens and dots, not like an address"
        remedy = f"take {affix} off, which is AWS's own" if affix else remedy
        message = f"The specified bucket is not valid: {name}"
        yield request.misfit(NAME_RULE, ("Bucket",), "InvalidBucketName", message, remedy)


def encryption(request: Request) -> Iterator[ValueVerdict]:
    """The encryption of a bucket."""
    path: Path = ("ServerSideEncryptionConfiguration", "Rules")
    if len(list(_mappings(request.value_at(*path)))) > 1:
        # hashicorp/terraform-provider-aws: s3_bucket_server_side_encryption_configuration, "a single rule".
        yield request.misfit(ENCRYPTION_RULE, path, "MalformedXML", MALFORMED_XML, "keep one rule")
    for index, rule in _mappings(request.value_at(*path)):
        default = rule.get("ApplyServerSideEncryptionByDefault")
        if (
            isinstance(default, Mapping)
            and default.get("SSEAlgorithm") == "AES256"
            and default.get("KMSMasterKeyID")
        ):
            message = (
                "a KMSMasterKeyID is not applicable if the default sse algorithm is not aws:kms or "
                "aws:kms:dsse"
            )
            where = (*path, index, "ApplyServerSideEncryptionByDefault", "KMSMasterKeyID")
            remedy = "choose aws:kms, or leave the key out"
            yield request.misfit(ENCRYPTION_RULE, where, "InvalidArgument", message, remedy)


def lifecycle(request: Request) -> Iterator[ValueVerdict]:
    """The rules of a lifecycle; their faults in S3's words."""
    path: Path = ("LifecycleConfiguration", "Rules")
    rules = list(_mappings(request.value_at(*path)))
    if len(rules) > MOST_RULES:
        message = f"The number of lifecycle rules must not exceed the allowed limit of {MOST_RULES} rules"
        yield request.misfit(LIFECYCLE_RULE, path, "InvalidRequest", message, "put some of them together")
    ids: set[str] = set()
    for index, rule in rules:
        place = (*path, index)
        id = rule.get("ID")
        if isinstance(id, str):
            if id in ids:
                message = f"Rule ID must be unique. Found same ID for more than one rule: {id}"
                yield request.misfit(
                    LIFECYCLE_RULE, (*place, "ID"), "InvalidArgument", message, "name it otherwise"
                )
            elif len(id) > LONGEST_ID:
                message = f"ID length should not exceed allowed limit of {LONGEST_ID}"
                yield request.misfit(LIFECYCLE_RULE, (*place, "ID"), "InvalidArgument", message, "shorten it")
            ids.add(id)
        if not any(rule.get(action) for action in ACTIONS):
            message = "At least one action needs to be specified in a rule"
            remedy = "let it expire or move objects, or leave the rule out"
            yield request.misfit(LIFECYCLE_RULE, place, "InvalidRequest", message, remedy)
        yield from _filter(request, place, rule)
        yield from _days(request, place, rule)


def _filter(request: Request, place: Path, rule: Mapping[str, Any]) -> Iterator[ValueVerdict]:
    """Which objects a rule is for.

    https://docs.aws.amazon.com/AmazonS3/latest/API/API_LifecycleRuleFilter.html
    """
    selection = rule.get("Filter")
    if not isinstance(selection, Mapping):
        return
    criteria = [name for name, value in selection.items() if value not in (None, "")]
    if len(criteria) > 1:
        remedy = f"put {' and '.join(criteria)} under and"
        yield request.misfit(LIFECYCLE_RULE, (*place, "Filter"), "MalformedXML", MALFORMED_XML, remedy)
    inner = selection.get("And")
    tagged = "Tag" in criteria or (isinstance(inner, Mapping) and inner.get("Tags"))
    if tagged and rule.get("AbortIncompleteMultipartUpload"):
        message = "AbortIncompleteMultipartUpload cannot be specified with Tags"
        remedy = "select by prefix, or make it a rule of its own"
        yield request.misfit(LIFECYCLE_RULE, (*place, "Filter"), "InvalidRequest", message, remedy)


def public_policy(request: Request, caller: str, blocked: bool) -> Iterator[ValueVerdict]:
    """A policy for everybody, of a bucket that blocks such; one with conditions is taken for none."""
    for statement in _statements(request):
        principal = statement.get("Principal")
        everybody = principal in ("*", {"AWS": "*"}, {"AWS": ["*"]})
        if blocked and everybody and statement.get("Effect") == "Allow" and not statement.get("Condition"):
            message = (
                f"User: {caller} is not authorized to perform: s3:PutBucketPolicy on resource: "
                f'"arn:aws:s3:::{request.value_at("Bucket")}" because public policies are blocked by the '
                "BlockPublicPolicy block public access setting"
            )
            remedy = "name principals, or a condition on who they are"
            yield request.misfit(POLICY_RULE, ("Policy",), "AccessDenied", message, remedy)


def _statements(request: Request) -> Iterator[Mapping[str, Any]]:
    """Statements of the policy in a call; none where it is no policy, which another rule refuses."""
    try:
        statements = json.loads(request.value_at("Policy") or "{}").get("Statement", ())
    except (ValueError, TypeError, AttributeError):
        return
    for statement in statements if isinstance(statements, list) else [statements]:
        if isinstance(statement, Mapping):
            yield statement


def _days(request: Request, place: Path, rule: Mapping[str, Any]) -> Iterator[ValueVerdict]:
    moves = list(_mappings(rule.get("Transitions")))
    latest = 0
    for index, move in moves:
        days, target = move.get("Days"), move.get("StorageClass")
        if not isinstance(days, int) or target is LATER:
            continue
        least = LEAST_DAYS.get(str(target), 0)
        if days < least:
            message = (
                f"'Days' in Transition action must be greater than or equal to {least} for storageClass "
                f"'{target}'"
            )
            where = (*place, "Transitions", index, "Days")
            yield request.misfit(LIFECYCLE_RULE, where, "InvalidArgument", message, f"set {least} or more")
        latest = max(latest, days)
    for action, member in POSITIVE.items():
        count = rule[action].get(member) if isinstance(rule.get(action), Mapping) else None
        if isinstance(count, int) and count <= 0:
            message = f"'{member}' for {action} action must be a positive integer"
            yield request.misfit(
                LIFECYCLE_RULE, (*place, action, member), "InvalidArgument", message, "set 1 or more"
            )
    expiration = rule.get("Expiration") if isinstance(rule.get("Expiration"), Mapping) else {}
    assert isinstance(expiration, Mapping)
    date, days = expiration.get("Date"), expiration.get("Days")
    if date is not None and days is not None:
        where = (*place, "Expiration")
        yield request.misfit(LIFECYCLE_RULE, where, "MalformedXML", MALFORMED_XML, "set days or a date")
    elif date is not None and date is not LATER and not MIDNIGHT.search(str(date)):
        where = (*place, "Expiration", "Date")
        remedy = "write a day and T00:00:00Z"
        yield request.misfit(
            LIFECYCLE_RULE, where, "InvalidArgument", "'Date' must be at midnight GMT", remedy
        )
    where = (*place, "Expiration", "Days")
    if isinstance(days, int) and days <= 0:
        message = "'Days' for Expiration action must be a positive integer"
        yield request.misfit(LIFECYCLE_RULE, where, "InvalidArgument", message, "set 1 or more")
    elif isinstance(days, int) and moves and days <= latest:
        message = (
            f"'Days' in the Expiration action for {_selection(rule)} must be greater than 'Days' in the "
            "Transition action"
        )
        yield request.misfit(LIFECYCLE_RULE, where, "InvalidArgument", message, f"set more than {latest}")


def _selection(rule: Mapping[str, Any]) -> str:
    selection = rule.get("Filter")
    prefix = selection.get("Prefix", "") if isinstance(selection, Mapping) else rule.get("Prefix") or ""
    return f"prefix '{prefix}'"


def _mappings(value: Any) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for index, item in enumerate(value if isinstance(value, list) else ()):
        if isinstance(item, Mapping):
            yield index, item
