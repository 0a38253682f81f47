"""Policies and names that IAM refuses."""

import json
from typing import Any

from pulumi_aws import iam

from conformance.refusals.probe import Probe


def policy(statement: dict[str, Any], version: str = "2012-10-17") -> str:
    """A policy of one statement."""
    return json.dumps({"Version": version, "Statement": [statement]})


READ = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::moka/*"}
TRUST = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "eks.amazonaws.com"}}

PROBES = (
    Probe(
        rule="policy-grammar",
        name="policy-of-an-unknown-version",
        code="MalformedPolicyDocument",
        type=iam.RolePolicy,
        inputs=lambda base: {"role": base.role_name, "policy": policy(READ, "2026-01-01")},
    ),
    Probe(
        rule="policy-grammar",
        name="policy-with-an-unknown-operator",
        code="MalformedPolicyDocument",
        type=iam.RolePolicy,
        inputs=lambda base: {
            "role": base.role_name,
            "policy": policy({**READ, "Condition": {"StringIs": {"aws:PrincipalTag/team": "a"}}}),
        },
    ),
    Probe(
        rule="policy-grammar",
        name="policy-without-a-resource",
        code="MalformedPolicyDocument",
        type=iam.RolePolicy,
        inputs=lambda base: {
            "role": base.role_name,
            "policy": policy({"Effect": "Allow", "Action": "s3:GetObject"}),
        },
    ),
    Probe(
        rule="policy-documents",
        name="policy-that-is-too-long",
        code="LimitExceeded",
        type=iam.RolePolicy,
        inputs=lambda base: {
            "role": base.role_name,
            "policy": policy({**READ, "Resource": [f"arn:aws:s3:::moka-{n:0100}/*" for n in range(100)]}),
        },
    ),
    Probe(
        rule="arn-partitions",
        name="policy-for-another-partition",
        code="MalformedPolicyDocument",
        type=iam.RolePolicy,
        inputs=lambda base: {
            "role": base.role_name,
            "policy": policy({**READ, "Resource": "arn:aws-cn:s3:::moka/*"}),
        },
    ),
    Probe(
        rule="request-model",
        name="role-with-a-path-without-slashes",
        code="ValidationError",
        type=iam.Role,
        inputs=lambda base: {"path": "moka", "assume_role_policy": policy(TRUST)},
    ),
)
