"""A cluster that another component was given: known by its URN, and asked of the engine."""

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
    """Brings back to life the components that others may refer to."""

    def version(self) -> None:
        """Any: there is one version of each SDK."""

    def construct(self, name: str, typ: str, urn: str) -> pulumi.Resource:
        """The component with this URN; what is no cluster is only a dependency."""
        return ClusterReference(name, urn) if typ == Cluster.TYPE else pulumi.resource.DependencyResource(urn)


def core_of(cluster: Any) -> pulumi.Output[Mapping[str, Any]]:
    """What a cluster's component knows, given the component or its `core`."""
    return pulumi.Output.from_input(cluster).apply(
        lambda known: known.core if isinstance(known, ClusterReference) else known
    )
