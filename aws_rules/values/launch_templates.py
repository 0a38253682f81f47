"""Launch templates: user data and metadata."""

import binascii
import re
from base64 import b64decode
from collections.abc import Iterator

from aws_rules.rule import Rule
from aws_rules.values.request import Path, Request, ValueVerdict

RULE = Rule(
    name="launch-template-values",
    authority="AWS",
    decides="how long a template's name and user data may be, and how far metadata travel",
    source="boto/botocore: ec2/service-2.json.gz, RequestLaunchTemplateData",
)

RULES = (RULE,)

LONGEST_USER_DATA = 16_384
"""Bytes, before they are encoded."""
HOPS = (1, 64)


NAME = r"[a-zA-Z0-9().\-/_]{3,128}"
"""https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateLaunchTemplate.html"""


def verdicts(request: Request) -> Iterator[ValueVerdict]:
    """A launch template."""
    name = request.value_at("LaunchTemplateName")
    if isinstance(name, str) and not re.fullmatch(NAME, name):
        message = f"A launch template name must be between 3 and 128 characters, and match {NAME}: {name}"
        code = "InvalidLaunchTemplateName.MalformedException"
        yield request.misfit(RULE, ("LaunchTemplateName",), code, message, "name it otherwise")
    path: Path = ("LaunchTemplateData", "UserData")
    text = request.value_at(*path)
    if isinstance(text, str) and text:
        try:
            size = len(b64decode(text, validate=True))
        except (binascii.Error, ValueError):
            message, remedy = "Invalid BASE64 encoding of user data", "encode it"
            yield request.misfit(RULE, path, "InvalidUserData.Malformed", message, remedy)
        else:
            if size > LONGEST_USER_DATA:
                message = f"User data is limited to {LONGEST_USER_DATA} bytes"
                remedy = f"make it shorter by {size - LONGEST_USER_DATA} bytes"
                yield request.misfit(RULE, path, "InvalidUserData.Malformed", message, remedy)
    path = ("LaunchTemplateData", "MetadataOptions", "HttpPutResponseHopLimit")
    hops = request.value_at(*path)
    if isinstance(hops, int) and not HOPS[0] <= hops <= HOPS[1]:
        message = f"The HttpPutResponseHopLimit {hops} is not between {HOPS[0]} and {HOPS[1]}"
        yield request.misfit(RULE, path, "InvalidParameterValue", message, "set 1, or 2 for containers")
