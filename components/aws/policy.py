"""IAM policies: their documents, as JSON, and the permissions of a role."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_aws as aws

from moka.components.ordering import known_after


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
    """Trust policy (JSON) that lets an AWS service assume a role.

    tags: the service may tag the session too.
    """
    actions = ["sts:AssumeRole", "sts:TagSession"] if tags else ["sts:AssumeRole"]
    statement: dict[str, Any] = {"Effect": "Allow", "Principal": {"Service": service}, "Action": actions}
    return document([statement | ({"Condition": conditions} if conditions else {})])


def permit(
    name: str,
    role: aws.iam.Role,
    opts: pulumi.ResourceOptions,
    *,
    statements: Sequence[Statement] = (),
    managed_policy_arns: Sequence[str] = (),
) -> pulumi.Output[str]:
    """ARN of a role, known only once it may do what is stated and what AWS's own policies allow."""
    permissions: list[aws.iam.RolePolicy | aws.iam.RolePolicyAttachment] = [
        aws.iam.RolePolicyAttachment(
            f"{name}-{arn.rpartition('/')[2]}", role=role.name, policy_arn=arn, opts=opts
        )
        for arn in managed_policy_arns
    ]
    if statements:
        permissions.append(aws.iam.RolePolicy(name, role=role.name, policy=allowing(statements), opts=opts))
    # `role` and not `id`: a new permission must not make the ARN unknown at preview, and groups replaced.
    return known_after(role.arn, *[permission.role for permission in permissions])


def _allow(statement: Statement) -> dict[str, Any]:
    allowed: dict[str, Any] = {
        "Sid": statement.sid,
        "Effect": "Allow",
        "Action": list(statement.actions),
        "Resource": list(statement.resources),
    }
    return allowed | ({"Condition": statement.conditions} if statement.conditions else {})
