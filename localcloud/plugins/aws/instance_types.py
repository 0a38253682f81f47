"""Attributes of instance types."""

from collections.abc import Mapping, Sequence
from typing import Any

from aws_rules.nodes.instance_types import assumed
from localcloud.plugins.aws.api import Api


def described(api: Api, region: str, names: Sequence[str]) -> list[Mapping[str, Any]]:
    """Instance types as EC2 describes them, in this order; what is newer than its data, as its name says."""
    # By a filter, as EC2 refuses names that it does not know.
    request = {"Filters": [{"Name": "instance-type", "Values": list(names)}]}
    answer = api.call("ec2", "describe_instance_types", request, region)["InstanceTypes"]
    by_name = {attributes["InstanceType"]: attributes for attributes in answer}
    return [by_name.get(name) or assumed(name) for name in names]
