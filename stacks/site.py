"""Where a layer is deployed, and what it may use there: settings, providers, outputs of other layers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import pulumi

from moka.catalog import Catalog
from moka.components.aws.pod_identity import PodIdentity, PodIdentityArgs, after_identities
from moka.components.aws.policy import Statement
from stacks.settings import Environment
from stacks.settings.foundation import Foundation

Outputs = TypeVar("Outputs")
"""Outputs of a layer: a flat dataclass of plain values or `pulumi.Output`s."""

Read = Callable[[str, type[Any]], Any]
"""Name of a layer (or HOME) and the type of its outputs -> its outputs; None where it is not there."""


@dataclass(frozen=True, kw_only=True)
class Site:
    """Where a layer is deployed.

    name: the foundation's or the cluster's in the settings, part of every resource's identity.
    settings: of the whole environment, whatever the slice.
    foundation: settings of the foundation, or of the one below the cluster.
    catalog: charts and images.
    opts: with the providers of the layer's resources.
    read: outputs of the layers that this one reads.
    """

    name: str
    settings: Environment
    foundation: Foundation
    catalog: Catalog
    opts: pulumi.ResourceOptions
    read: Read

    @property
    def region(self) -> str:
        """AWS region."""
        return self.foundation.region

    @property
    def permissions_boundary_arn(self) -> str | None:
        """Policy that bounds every IAM role, if any."""
        return self.foundation.permissions_boundary

    def outputs(self, layer: str, kind: type[Outputs]) -> Outputs:
        """Outputs of a layer that this one reads."""
        outputs: Outputs | None = self.read(layer, kind)
        assert outputs is not None, f"{self.name} has no layer {layer}"
        return outputs

    def outputs_if_there(self, layer: str, kind: type[Outputs]) -> Outputs | None:
        """The same, None where the cluster does not have the layer."""
        outputs: Outputs | None = self.read(layer, kind)
        return outputs

    def after(self, *resources: pulumi.Resource) -> pulumi.ResourceOptions:
        """The options, for what must come after these and be deleted before them."""
        return after_identities(self.opts, *resources)


@dataclass(frozen=True, kw_only=True)
class ClusterSite(Site):
    """Where a layer on a cluster is deployed.

    eks_name: the cluster's name in EKS.
    """

    eks_name: pulumi.Input[str]

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
                path=self.settings.role_path,
                permissions_boundary_arn=self.permissions_boundary_arn,
            ),
            self.opts,
        )
