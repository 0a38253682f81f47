"""Policies that AWS manages, by ARN. Source: IAM, as the package moto has them, at its version."""

import json
import runpy
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

PREFIX = ":iam::aws:policy/"


def managed_policy(arn: str) -> Mapping[str, Any] | None:
    """The document of a policy of AWS's; None where it is none, or not known."""
    return _by_name().get(arn.partition(PREFIX)[2].rpartition("/")[2]) if PREFIX in arn else None


@cache
def _by_name() -> Mapping[str, Mapping[str, Any]]:
    # The file only: the package around it takes half a second to load, and nothing else of it is used.
    package = find_spec("moto")
    if package is None or package.origin is None:
        return {}
    file = Path(package.origin).parent / "iam" / "aws_managed_policies.py"
    policies = json.loads(runpy.run_path(str(file))["aws_managed_policies_data"])
    return {name: policy["Document"] for name, policy in policies.items()}
