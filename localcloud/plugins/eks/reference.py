"""A cluster that is an argument of another component: a URN, resolved by the engine."""

from collections.abc import Mapping
from typing import Any

import pulumi
from pulumi.runtime.rpc import ResourceModule

from localcloud.plugins.eks.cluster import Cluster


class ClusterReference(pulumi.ComponentResource):
    """A cluster in the engine's state. The SDK's own class would load all types of EC2 for its arguments."""

    core: pulumi.Output[Mapping[str, Any]]

    def __init__(self, name: str, urn: str) -> None:
        super().__init__(Cluster.TYPE, name, {"core": None}, pulumi.ResourceOptions(urn=urn), remote=True)


class References(ResourceModule):
    """Makes resources of components that are arguments of others."""

    def version(self) -> None:
        """Any: there is one version of each SDK."""

    def construct(self, name: str, typ: str, urn: str) -> pulumi.Resource:
        """The component with this URN; components other than clusters are only dependencies."""
        return ClusterReference(name, urn) if typ == Cluster.TYPE else pulumi.resource.DependencyResource(urn)


def core_of(cluster: Any) -> pulumi.Output[Mapping[str, Any]]:
    """`core` of a cluster, from the component or its `core`."""
    return pulumi.Output.from_input(cluster).apply(
        lambda value: value.core if isinstance(value, ClusterReference) else value
    )
