"""Aliases and deletion of KMS keys."""

from collections.abc import Iterator

from aws_rules.rule import Rule
from aws_rules.values.request import Request, ValueVerdict

RULE = Rule(
    name="key-values",
    authority="AWS",
    decides="how an alias of a key may be named, who may change its policy, and when it may be deleted",
    source="https://docs.aws.amazon.com/kms/latest/APIReference/API_CreateAlias.html",
)

RULES = (RULE,)

START = "alias/"
RESERVED = "alias/aws/"

PENDING = (7, 30)
"""Days before a key is deleted. https://docs.aws.amazon.com/kms/latest/APIReference/API_ScheduleKeyDeletion.html"""


def alias(request: Request) -> Iterator[ValueVerdict]:
    """An alias."""
    name = request.value_at("AliasName")
    if not isinstance(name, str):
        return
    if not name.startswith(START) or name == START:
        message = f"Invalid identifier: {name}"
        yield request.misfit(RULE, ("AliasName",), "ValidationException", message, f"begin it with {START}")
    elif name.startswith(RESERVED):
        message = f"{name} is reserved for AWS managed keys"
        code = "NotAuthorizedException"
        yield request.misfit(RULE, ("AliasName",), code, message, "name it otherwise")


def deletion(request: Request) -> Iterator[ValueVerdict]:
    """The waiting period of a deletion."""
    days = request.value_at("PendingWindowInDays")
    if isinstance(days, int) and not PENDING[0] <= days <= PENDING[1]:
        message = f"PendingWindowInDays is {days}, and must be between {PENDING[0]} and {PENDING[1]}"
        yield request.misfit(RULE, ("PendingWindowInDays",), "ValidationException", message, "correct it")
