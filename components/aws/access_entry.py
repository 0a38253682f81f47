"""Who may enter a cluster, and what they may do there: access entries, the only way in."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import pulumi
import pulumi_aws as aws

from moka.partition import partition

AccessLevel = Literal["admin", "edit", "view"]

CLUSTER_WIDE: Mapping[AccessLevel, str] = {
    "admin": "AmazonEKSClusterAdminPolicy",
    "edit": "AmazonEKSEditPolicy",
    "view": "AmazonEKSViewPolicy",
}
IN_NAMESPACES: Mapping[AccessLevel, str] = {**CLUSTER_WIDE, "admin": "AmazonEKSAdminPolicy"}
"""EKS access policies by what they allow, in the whole cluster and in some namespaces."""


@dataclass(frozen=True, kw_only=True)
class ClusterAccess:
    """Somebody who may enter a cluster.

    principal_arn: IAM role or user; it can have one entry a cluster.
    level: what they may do with Kubernetes' own objects, by EKS's policies, which grant nothing on custom
        resources but to an administrator of the cluster; None for nothing.
    namespaces: where `level` holds; by default in the whole cluster.
    groups: Kubernetes groups that they are in, with what RoleBindings grant to these.
    """

    principal_arn: pulumi.Input[str]
    level: AccessLevel | None = None
    namespaces: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class AccessEntryArgs:
    """Who may enter which cluster.

    cluster_name: EKS cluster.
    region: AWS region of the cluster.
    access: what the principal may do, and where.
    tags: of every AWS resource that is made here.
    """

    cluster_name: pulumi.Input[str]
    region: str
    access: ClusterAccess
    tags: dict[str, str] = field(default_factory=dict)


class AccessEntry(pulumi.ComponentResource):
    """Pulumi type `moka:aws:AccessEntry`.

    Makes: eks.AccessEntry, and eks.AccessPolicyAssociation where there is a level.
    Outputs: `principal_arn`, known only once they may enter.
    """

    principal_arn: pulumi.Output[str]

    def __init__(self, name: str, args: AccessEntryArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:aws:AccessEntry", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)

        entry = aws.eks.AccessEntry(
            name,
            cluster_name=args.cluster_name,
            principal_arn=args.access.principal_arn,
            type="STANDARD",
            kubernetes_groups=list(args.access.groups) or None,
            tags=args.tags,
            opts=child,
        )
        self.principal_arn = entry.principal_arn
        if args.access.level:
            self.principal_arn = self._association(name, entry, args, args.access.level, child)
        self.register_outputs({"principal_arn": self.principal_arn})

    def _association(
        self,
        name: str,
        entry: aws.eks.AccessEntry,
        args: AccessEntryArgs,
        level: AccessLevel,
        opts: pulumi.ResourceOptions,
    ) -> pulumi.Output[str]:
        association = aws.eks.AccessPolicyAssociation(
            name,
            cluster_name=args.cluster_name,
            principal_arn=entry.principal_arn,
            policy_arn=access_policy(level, args.access.namespaces, args.region),
            access_scope=access_scope(args.access.namespaces),
            opts=opts,
        )
        return association.principal_arn


def access_policy(level: AccessLevel, namespaces: tuple[str, ...], region: str) -> str:
    """ARN of the EKS access policy; an administrator of namespaces is not one of the cluster."""
    name = (IN_NAMESPACES if namespaces else CLUSTER_WIDE)[level]
    return f"arn:{partition(region)}:eks::aws:cluster-access-policy/{name}"


def access_scope(namespaces: tuple[str, ...]) -> aws.eks.AccessPolicyAssociationAccessScopeArgs:
    """Where an access policy holds."""
    if not namespaces:
        return aws.eks.AccessPolicyAssociationAccessScopeArgs(type="cluster")
    return aws.eks.AccessPolicyAssociationAccessScopeArgs(type="namespace", namespaces=list(namespaces))
