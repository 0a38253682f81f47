"""Policies that AWS manages, by ARN. Source: IAM, as the package moto has them, at its version."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

PREFIX = ":iam::aws:policy/"


def managed_policy(arn: str) -> Mapping[str, Any] | None:
    """The document of a policy of AWS's; None where it is none, or not known."""
    return _by_name().get(arn.partition(PREFIX)[2].rpartition("/")[2]) if PREFIX in arn else None


@cache
def _by_name() -> Mapping[str, Mapping[str, Any]]:
    # Large, and only some changes ask.
    from moto.iam.aws_managed_policies import aws_managed_policies_data

    policies = json.loads(aws_managed_policies_data)
    return {name: policy["Document"] for name, policy in policies.items()}
