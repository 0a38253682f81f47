"""IAM policy documents, as JSON."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi


@dataclass(frozen=True, kw_only=True)
class Statement:
    """One thing that a policy allows.

    sid: what it is for, in letters and digits; unique in its policy.
    actions: for example `s3:GetObject`.
    resources: ARNs that the actions may touch.
    conditions: operator -> condition key -> value, as `{"Bool": {"aws:SecureTransport": "true"}}`.
    """

    sid: str
    actions: tuple[str, ...]
    resources: Sequence[pulumi.Input[str]]
    conditions: Mapping[str, pulumi.Input[Mapping[str, pulumi.Input[Any]]]] = field(default_factory=dict)


def allowing(statements: Sequence[Statement]) -> pulumi.Output[str]:
    """Policy (JSON) that allows these statements and nothing else."""
    return pulumi.Output.from_input([_allow(statement) for statement in statements]).apply(document)


def document(statements: Sequence[Mapping[str, Any]]) -> str:
    """Policy (JSON) of these statements; equal statements give equal text."""
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


def trust(
    service: str, conditions: Mapping[str, Mapping[str, str]] | None = None, *, tags: bool = False
) -> str:
    """Trust policy (JSON) that lets an AWS service take a role.

    tags: the service may tag the session too.
    """
    actions = ["sts:AssumeRole", "sts:TagSession"] if tags else ["sts:AssumeRole"]
    statement: dict[str, Any] = {"Effect": "Allow", "Principal": {"Service": service}, "Action": actions}
    return document([statement | ({"Condition": conditions} if conditions else {})])


def _allow(statement: Statement) -> dict[str, Any]:
    allowed: dict[str, Any] = {
        "Sid": statement.sid,
        "Effect": "Allow",
        "Action": list(statement.actions),
        "Resource": list(statement.resources),
    }
    return allowed | ({"Condition": statement.conditions} if statement.conditions else {})
