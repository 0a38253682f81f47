"""What every layer on a cluster is told of where it stands."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi

from components.aws.pod_identity import PodIdentity, PodIdentityArgs
from components.aws.policy import Statement
from moka.catalog import Catalog


@dataclass(frozen=True, kw_only=True)
class Identity:
    """What the IAM roles of an environment in an account have in common.

    path: of every role, `/<prefix>/`; policies tell environments apart by it.
    permissions_boundary_arn: policy that bounds every role, if any.
    """

    path: str
    permissions_boundary_arn: str | None = None


@dataclass(frozen=True, kw_only=True)
class OnCluster:
    """Where a layer stands.

    name: the cluster's in the settings, part of every resource's identity.
    eks_name: the cluster's name in EKS.
    region: AWS region of the cluster.
    catalog: charts and images.
    identity: of the roles that are made for it.
    opts: with the cluster's Kubernetes provider and the AWS provider of its account.
    """

    name: str
    eks_name: pulumi.Input[str]
    region: str
    catalog: Catalog
    identity: Identity
    opts: pulumi.ResourceOptions

    def allow(
        self, name: str, namespace: str, service_account: str, statements: Sequence[Statement]
    ) -> PodIdentity:
        """Let the pods of a service account do what the statements say, and nothing else in AWS.

        name: of the identity on this cluster; part of its resources' logical names.
        """
        return PodIdentity(
            f"{self.name}-{name}",
            PodIdentityArgs(
                cluster_name=self.eks_name,
                namespace=namespace,
                service_account=service_account,
                statements=statements,
                path=self.identity.path,
                permissions_boundary_arn=self.identity.permissions_boundary_arn,
            ),
            self.opts,
        )

    def after(self, *needed: pulumi.Resource) -> pulumi.ResourceOptions:
        """The options, for what must come after these and go before them."""
        return pulumi.ResourceOptions.merge(self.opts, pulumi.ResourceOptions(depends_on=list(needed)))
