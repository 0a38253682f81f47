"""EKS add-ons: software that AWS installs and maintains on a cluster, each at a pinned version."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_aws as aws

from moka.components.aws.pod_identity import PodIdentity, PodIdentityArgs, after_identities
from moka.partition import managed_policy

TIMEOUT = "60m"
"""For an add-on to be on every node. AWS's provider gives it 20 minutes; the DaemonSets of EKS's add-ons are
updated in ten waves (`maxUnavailable: 10%` in aws/eks-charts and amazon-vpc-cni-k8s: charts/aws-vpc-cni), at
minutes a wave where a thousand nodes pull."""

NAMESPACE = "kube-system"
"""Namespace of the add-ons that EKS itself publishes."""


@dataclass(frozen=True, kw_only=True)
class AddonIdentity:
    """What an add-on may do in AWS.

    service_account: the add-on's own, in `kube-system`.
    policies: policies that AWS keeps for it, by path and name, for example
        `AmazonEKS_CNI_Policy`.
    """

    service_account: str
    policies: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Addon:
    """One add-on at one version.

    version: as EKS names it, for example `v1.11.4-eksbuild.2`.
    configuration: values by the add-on's own schema.
    identity: its permissions, by Pod Identity; by default none.
    """

    version: str
    configuration: pulumi.Input[Mapping[str, Any]] = field(default_factory=dict)
    identity: AddonIdentity | None = None


@dataclass(frozen=True, kw_only=True)
class AddonsArgs:
    """Which add-ons, on which cluster.

    cluster_name: EKS cluster.
    region: AWS region of the cluster.
    addons: by the name that EKS knows them by, for example `coredns`.
    path: of the add-ons' roles.
    permissions_boundary_arn: policy that bounds these roles.
    tags: of every AWS resource that is made here.
    """

    cluster_name: pulumi.Input[str]
    region: str
    addons: Mapping[str, Addon]
    path: str = "/"
    permissions_boundary_arn: str | None = None
    tags: dict[str, str] = field(default_factory=dict)


class Addons(pulumi.ComponentResource):
    """Pulumi type `moka:aws:Addons`.

    Makes: an eks.Addon each, and before it a PodIdentity where it has an identity, so that none of its pods
    starts without permissions. One that runs as a Deployment (CoreDNS, the EBS CSI driver) becomes healthy
    only where there are nodes: let this depend on the node groups then; it is also deleted before them.
    Outputs: `names`, known only once all of them are healthy.
    """

    names: pulumi.Output[list[str]]

    def __init__(self, name: str, args: AddonsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:aws:Addons", name, {}, opts)
        # On the way down, children know nothing of what their component depends on.
        child = pulumi.ResourceOptions(
            parent=self,
            depends_on=opts.depends_on if opts else None,
            custom_timeouts=pulumi.CustomTimeouts(create=TIMEOUT, update=TIMEOUT),
        )

        addons = [
            aws.eks.Addon(
                f"{name}-{addon_name}",
                cluster_name=args.cluster_name,
                addon_name=addon_name,
                addon_version=addon.version,
                configuration_values=pulumi.Output.from_input(addon.configuration).apply(configuration_json),
                # What the add-on owns is set here, not by hand on the cluster.
                resolve_conflicts_on_create="OVERWRITE",
                resolve_conflicts_on_update="OVERWRITE",
                tags=args.tags,
                opts=after_identities(child, *self._identity(name, addon_name, args)),
            )
            for addon_name, addon in args.addons.items()
        ]
        self.names = pulumi.Output.all(*[addon.addon_name for addon in addons]).apply(list)
        self.register_outputs({"names": self.names})

    def _identity(self, name: str, addon_name: str, args: AddonsArgs) -> list[PodIdentity]:
        identity = args.addons[addon_name].identity
        if identity is None:
            return []
        return [
            PodIdentity(
                f"{name}-{addon_name}",
                PodIdentityArgs(
                    cluster_name=args.cluster_name,
                    namespace=NAMESPACE,
                    service_account=identity.service_account,
                    managed_policy_arns=tuple(
                        managed_policy(policy, args.region) for policy in identity.policies
                    ),
                    path=args.path,
                    permissions_boundary_arn=args.permissions_boundary_arn,
                    tags=args.tags,
                ),
                pulumi.ResourceOptions(parent=self),
            )
        ]


def configuration_json(configuration: Mapping[str, Any]) -> str | None:
    """Configuration as EKS takes it; equal values give equal text, so that no order of keys is a change."""
    return json.dumps(configuration, sort_keys=True) if configuration else None
