"""A resource that AWS has to refuse, and what such resources stand on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pulumi


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """A cluster that is up, for probes of what EKS puts on one; they leave nothing on it.

    name, version: in EKS. subnet_ids: of its machines, private.
    public_subnet_id: one with a way to the internet.
    node_role_arn: of its machines. template: id and version of the launch template of some of its machines.
    """

    name: str
    version: str
    subnet_ids: tuple[str, ...]
    public_subnet_id: str
    node_role_arn: str
    template: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Base:
    """What probes stand on; none of it costs anything.

    region: where they are. zones: two of its zones.
    vpc_id, subnet_ids: of a VPC 10.213.0.0/16 without a way out, and its subnets, one a zone.
    route_table_id: of the VPC.
    role_name, role_arn: of a role that EKS and pods on Fargate may take, without policies.
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
OnCluster = Callable[[Base, Cluster], Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Probe:
    """A resource that AWS has to refuse.

    rule: of the laptop, that refuses it there. name: of the resource, unique.
    code: in AWS's answer. type: of the resource. inputs: of it; of one that needs a cluster, `on_cluster`.
    """

    rule: str
    name: str
    code: str
    type: Callable[..., pulumi.CustomResource]
    inputs: Inputs | None = None
    on_cluster: OnCluster | None = None

    def inputs_on(self, base: Base, cluster: Cluster | None) -> Mapping[str, Any]:
        """Inputs of its resource. Raises ValueError where it needs a cluster, and there is none."""
        if self.inputs:
            return self.inputs(base)
        if self.on_cluster and cluster:
            return self.on_cluster(base, cluster)
        raise ValueError(f"probe {self.name} needs a cluster")
