"""A grant: actions, on what, and on which condition; and policies (JSON) of several."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Conditions = Mapping[str, Mapping[str, str | Sequence[str]]]
"""Operator -> condition key -> value, or values."""


@dataclass(frozen=True, kw_only=True)
class Grant:
    """What a policy allows, or denies.

    sid: what it is about, in letters and digits.
    actions: of IAM, sorted.
    resources: ARN patterns.
    """

    sid: str
    actions: tuple[str, ...]
    resources: tuple[str, ...]
    conditions: Conditions = field(default_factory=dict)

    def statement(self, effect: str = "Allow") -> dict[str, Any]:
        """The statement of a policy."""
        conditions = {"Condition": self.conditions} if self.conditions else {}
        return {
            "Sid": self.sid,
            "Effect": effect,
            "Action": list(self.actions),
            "Resource": list(self.resources),
            **conditions,
        }


def policy(statements: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """A policy of these statements."""
    return {"Version": "2012-10-17", "Statement": list(statements)}


def size(document: Mapping[str, Any]) -> int:
    """Characters of a policy as IAM counts them, without white space."""
    return len("".join(json.dumps(document, separators=(",", ":")).split()))


MAX_SIZE = 6144
"""Characters of a managed policy."""

MAX_ATTACHED = 10
"""Managed policies of a role, unless AWS raised it.

Source of both: "IAM and AWS STS quotas", IAM User Guide,
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
"""
