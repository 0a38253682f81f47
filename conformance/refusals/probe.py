"""A resource that AWS has to refuse, and what such resources stand on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pulumi


@dataclass(frozen=True, kw_only=True)
class Base:
    """What probes stand on; none of it costs anything.

    region: where they are. zones: two of its zones.
    vpc_id, subnet_ids: of a VPC 10.213.0.0/16 without a way out, and its subnets, one a zone.
    route_table_id: of the VPC. role_name, role_arn: of a role that EKS may take, without policies.
    bucket: name of a bucket that blocks public access. repository: name of one of ECR, without images.
    """

    region: str
    zones: tuple[str, str]
    vpc_id: pulumi.Output[str]
    subnet_ids: tuple[pulumi.Output[str], pulumi.Output[str]]
    route_table_id: pulumi.Output[str]
    role_name: pulumi.Output[str]
    role_arn: pulumi.Output[str]
    bucket: pulumi.Output[str]
    repository: pulumi.Output[str]


Inputs = Callable[[Base], Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Probe:
    """A resource that AWS has to refuse.

    rule: of the laptop, that refuses it there. name: of the resource, unique.
    code: in AWS's answer. type: of the resource. inputs: of it.
    """

    rule: str
    name: str
    code: str
    type: Callable[..., pulumi.CustomResource]
    inputs: Inputs
