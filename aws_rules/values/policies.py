"""Policy documents: that they are JSON, and their sizes."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from aws_rules.rule import Rule
from aws_rules.values.request import Path, Request, ValueVerdict

_QUOTAS = "https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html"

RULE = Rule(
    name="policy-documents",
    authority="AWS",
    decides="whether a policy is JSON, how long it may be, and how many a role may have",
    source=_QUOTAS,
)

RULES = (RULE,)


@dataclass(frozen=True, kw_only=True)
class Document:
    """A policy in a call.

    path: of it. longest: characters. malformed, too_long: codes. says: sentence, with {longest} and {name}.
    name: member with the name that the sentence needs.
    spaces_count: white space counts too.
    """

    path: Path
    longest: int
    malformed: str
    too_long: str
    says: str
    name: str = ""
    spaces_count: bool = False


_TRUST = Document(
    path=("AssumeRolePolicyDocument",),
    longest=2048,
    malformed="MalformedPolicyDocument",
    too_long="LimitExceeded",
    says="Cannot exceed quota for ACLSizePerRole: {longest}",
)
_MANAGED = Document(
    path=("PolicyDocument",),
    longest=6144,
    malformed="MalformedPolicyDocument",
    too_long="LimitExceeded",
    says="Cannot exceed quota for PolicySize: {longest}",
)
_KEY = Document(
    path=("Policy",),
    longest=32_768,
    malformed="MalformedPolicyDocumentException",
    too_long="LimitExceededException",
    says="The key policy is longer than {longest} bytes",
    spaces_count=True,
)

INLINE_LONGEST = 10_240
"""Characters of all inline policies of a role. Source: of the rule."""
_TOO_LONG_INLINE = "Maximum policy size of {longest} bytes exceeded for role {name}"

# Service, operation -> its policy. IAM's sizes: _QUOTAS. KMS's:
# https://docs.aws.amazon.com/kms/latest/developerguide/resource-limits.html. S3's:
# https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucket-policies.html. Secrets Manager's:
# https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_PutResourcePolicy.html.
DOCUMENTS: Mapping[tuple[str, str], Document] = {
    ("iam", "CreateRole"): _TRUST,
    ("iam", "UpdateAssumeRolePolicy"): replace(_TRUST, path=("PolicyDocument",)),
    ("iam", "PutRolePolicy"): Document(
        path=("PolicyDocument",),
        longest=INLINE_LONGEST,
        malformed="MalformedPolicyDocument",
        too_long="LimitExceeded",
        says=_TOO_LONG_INLINE,
        name="RoleName",
    ),
    ("iam", "CreatePolicy"): _MANAGED,
    ("iam", "CreatePolicyVersion"): _MANAGED,
    ("kms", "CreateKey"): _KEY,
    ("kms", "PutKeyPolicy"): _KEY,
    ("secretsmanager", "PutResourcePolicy"): Document(
        path=("ResourcePolicy",),
        longest=20_480,
        malformed="MalformedPolicyDocumentException",
        too_long="ValidationException",
        says="Member must have length less than or equal to {longest}",
        spaces_count=True,
    ),
    ("s3", "PutBucketPolicy"): Document(
        path=("Policy",),
        longest=20_480,
        malformed="MalformedPolicy",
        too_long="PolicyTooLarge",
        says="Policy exceeds the maximum allowed document size of {longest} bytes",
        spaces_count=True,
    ),
    ("ec2", "CreateVpcEndpoint"): Document(
        path=("PolicyDocument",),
        longest=20_480,
        malformed="InvalidPolicyDocument",
        too_long="InvalidPolicyDocument",
        says="The policy document is longer than {longest} characters",
    ),
    ("ecr", "SetRepositoryPolicy"): Document(
        path=("policyText",),
        longest=10_240,
        malformed="InvalidParameterException",
        too_long="InvalidParameterException",
        says="Invalid parameter at 'PolicyText': longer than {longest} characters",
        spaces_count=True,
    ),
}

MOST_ATTACHED = 10
"""Managed policies of a role, unless a quota was raised. Source: of the rule."""


def document(request: Request) -> Iterator[ValueVerdict]:
    """The policy in a call."""
    place = DOCUMENTS[request.service, request.operation]
    text = request.value_at(*place.path)
    if not isinstance(text, str):
        return
    try:
        is_policy = isinstance(json.loads(text), dict)
    except ValueError:
        is_policy = False
    if not is_policy:
        message = "This policy contains invalid Json"
        yield request.misfit(RULE, place.path, place.malformed, message, "write it as a JSON object")
        return
    size = len(text.encode()) if place.spaces_count else weight(text)
    if size > place.longest:
        message = place.says.format(longest=place.longest, name=request.value_at(place.name))
        remedy = f"make it shorter by {size - place.longest} characters, or split it"
        yield request.misfit(RULE, place.path, place.too_long, message, remedy)


def inline(request: Request, documents: Sequence[str]) -> Iterator[ValueVerdict]:
    """An inline policy beside the others of its role."""
    text = request.value_at("PolicyDocument")
    if isinstance(text, str) and weight(text) <= INLINE_LONGEST:
        size = weight(text) + sum(map(weight, documents))
        if size > INLINE_LONGEST:
            message = _TOO_LONG_INLINE.format(longest=INLINE_LONGEST, name=request.value_at("RoleName"))
            remedy = (
                f"make its policies shorter by {size - INLINE_LONGEST} characters, or attach managed ones"
            )
            yield request.misfit(RULE, ("PolicyDocument",), "LimitExceeded", message, remedy)


def attached(request: Request, arns: Sequence[str]) -> Iterator[ValueVerdict]:
    """A managed policy beside the others of its role."""
    if request.value_at("PolicyArn") not in arns and len(arns) >= MOST_ATTACHED:
        message = f"Cannot exceed quota for PoliciesPerRole: {MOST_ATTACHED}"
        remedy = "put policies together, or have the quota raised"
        yield request.misfit(RULE, ("PolicyArn",), "LimitExceeded", message, remedy)


def weight(document: str) -> int:
    """Characters of a policy as IAM counts them: white space does not count."""
    return len(re.sub(r"\s", "", document))
