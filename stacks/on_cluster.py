"""What every layer on a cluster is told of where it stands."""

from dataclasses import dataclass

import pulumi

from components.kubernetes.catalog import Catalog


@dataclass(frozen=True, kw_only=True)
class OnCluster:
    """Where a layer stands.

    name: the cluster's in the settings, part of every resource's identity.
    eks_name: the cluster's name in EKS.
    region: AWS region of the cluster.
    catalog: charts and images.
    opts: with the cluster's Kubernetes provider and the AWS provider of its account.
    """

    name: str
    eks_name: pulumi.Input[str]
    region: str
    catalog: Catalog
    opts: pulumi.ResourceOptions
