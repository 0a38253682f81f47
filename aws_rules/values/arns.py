"""Partitions of ARNs: an ARN names something of the partition of the region that it is given to."""

import re
from collections.abc import Iterator, Mapping

from aws_rules.rule import Rule
from aws_rules.values.request import Request, ValueVerdict, partition, path_text

RULE = Rule(
    name="arn-partitions",
    authority="AWS",
    decides="whether the ARNs in a call, policies included, are of the partition of its region",
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/reference-arns.html",
)

RULES = (RULE,)

_ARN = re.compile(r"arn:(aws[a-z-]*):")
_ARN_IN_POLICY = re.compile(r'"(arn:(aws[a-z-]*):[^"]*)"')

# Service -> code for an ARN that is not one of its own.
CODES: Mapping[str, str] = {
    "ec2": "InvalidParameterValue",
    "ecr": "InvalidParameterException",
    "eks": "InvalidParameterException",
    "iam": "InvalidInput",
    "kms": "InvalidArnException",
    "logs": "InvalidParameterException",
    "s3": "InvalidArgument",
}
POLICY_CODES: Mapping[str, str] = {
    "iam": "MalformedPolicyDocument",
    "kms": "MalformedPolicyDocumentException",
    "s3": "MalformedPolicy",
}


def verdicts(request: Request) -> Iterator[ValueVerdict]:
    """What would be refused of the ARNs in a call."""
    own = partition(request.region)
    remedy = f"write it with arn:{own}:, as {request.region} is of that partition"
    for path, text in request.texts():
        match = _ARN.match(text)
        if match and match[1] != own:
            message = f"The ARN {text} at {path_text(path)} is not of the partition {own}"
            code = CODES.get(request.service, "ValidationException")
            yield request.misfit(RULE, path, code, message, remedy)
        elif text.lstrip().startswith("{"):
            for arn, arn_partition in sorted(set(_ARN_IN_POLICY.findall(text))):
                if arn_partition != own:
                    message = f'Partition "{arn_partition}" is not valid for resource "{arn}"'
                    code = POLICY_CODES.get(request.service, "MalformedPolicyDocument")
                    yield request.misfit(RULE, path, code, message, remedy)
