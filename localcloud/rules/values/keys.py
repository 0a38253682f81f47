"""Aliases and deletion of KMS keys."""

import json
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

from localcloud.rules.rule import Rule
from localcloud.rules.values.request import Request, ValueVerdict

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
    name = request.known("AliasName")
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
    days = request.known("PendingWindowInDays")
    if isinstance(days, int) and not PENDING[0] <= days <= PENDING[1]:
        message = f"PendingWindowInDays is {days}, and must be between {PENDING[0]} and {PENDING[1]}"
        yield request.misfit(RULE, ("PendingWindowInDays",), "ValidationException", message, "correct it")


def lockout(request: Request) -> Iterator[ValueVerdict]:
    """A key policy that lets nobody change it; who of those that it lets there are is not asked.

    https://docs.aws.amazon.com/kms/latest/developerguide/key-policy-default.html#prevent-unmanageable-key
    """
    text = request.known("Policy")
    if not isinstance(text, str) or request.known("BypassPolicyLockoutSafetyCheck"):
        return
    try:
        statements = json.loads(text).get("Statement", ())
    except (ValueError, AttributeError):
        return
    if not any(map(_lets_change, statements if isinstance(statements, list) else [statements])):
        message = "The new key policy will not allow you to update the key policy in the future"
        remedy = "allow kms:PutKeyPolicy to who deploys, such as kms:* to the account's root"
        yield request.misfit(RULE, ("Policy",), "MalformedPolicyDocumentException", message, remedy)


def _lets_change(statement: object) -> bool:
    if not isinstance(statement, Mapping) or statement.get("Effect") != "Allow":
        return False
    actions = statement.get("Action", [])
    patterns = [actions] if isinstance(actions, str) else actions
    return "NotAction" in statement or any(
        fnmatchcase("kms:putkeypolicy", str(pattern).lower()) for pattern in patterns
    )
