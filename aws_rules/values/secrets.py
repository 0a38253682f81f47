"""Names and deletions of secrets."""

import re
from collections.abc import Iterator

from aws_rules.rule import Rule
from aws_rules.values.request import Request, ValueVerdict

RULE = Rule(
    name="secret-values",
    authority="AWS",
    decides="how a secret may be named, and how long it can be recovered once it is deleted",
    source="https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_CreateSecret.html",
    further=("https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_DeleteSecret.html",),
)

RULES = (RULE,)

NAME = re.compile(r"[A-Za-z0-9/_+=.@-]+")
DAYS = range(7, 31)


def secret(request: Request) -> Iterator[ValueVerdict]:
    """The name of a secret."""
    name = request.value_at("Name")
    if isinstance(name, str) and not NAME.fullmatch(name):
        message = (
            "Invalid name. Must be a valid name containing alphanumeric characters, or any of the following: "
            "-/_+=.@!"
        )
        remedy = "leave other characters out"
        yield request.misfit(RULE, ("Name",), "ValidationException", message, remedy)


def deletion(request: Request) -> Iterator[ValueVerdict]:
    """How long a secret can be recovered."""
    days = request.value_at("RecoveryWindowInDays")
    if isinstance(days, int) and days not in DAYS:
        message = "RecoveryWindowInDays value must be between 7 and 30 days (inclusive)"
        remedy = "set 7 to 30, or 0 to delete it at once"
        yield request.misfit(RULE, ("RecoveryWindowInDays",), "InvalidParameterException", message, remedy)
