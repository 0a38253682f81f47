"""The plugin: its components."""

import json
from importlib.metadata import version

import pulumi
from pulumi.provider import CallResult

from localcloud.plugins.components.component import Component
from localcloud.plugins.components.plugin import ComponentPlugin
from localcloud.plugins.eks import kubeconfig
from localcloud.plugins.eks.addon import Addon
from localcloud.plugins.eks.cluster import Cluster
from localcloud.plugins.eks.managed_node_group import ManagedNodeGroup
from localcloud.plugins.eks.node_group_v1 import NodeGroup
from localcloud.plugins.eks.node_group_v2 import NodeGroupV2
from localcloud.plugins.eks.reference import core_of
from localcloud.plugins.eks.vpc_cni_addon import VpcCniAddon

VERSION = version("pulumi-eks")

COMPONENTS: dict[str, type[Component]] = {
    component.TYPE: component
    for component in (Cluster, ManagedNodeGroup, NodeGroup, NodeGroupV2, Addon, VpcCniAddon)
}


GET_KUBECONFIG = "eks:index:Cluster/getKubeconfig"


class Plugin(ComponentPlugin):
    """Makes components of pulumi_eks. Its one method makes kubeconfigs for other AWS credentials."""

    def __init__(self) -> None:
        super().__init__(VERSION, COMPONENTS, f"{GET_KUBECONFIG} is the one method")

    def call(self, token: str, args: pulumi.Inputs) -> CallResult:
        """A cluster's kubeconfig for a role, as JSON."""
        if token != GET_KUBECONFIG:
            return super().call(token, args)
        options = {name: args[name] for name in ("profileName", "roleArn") if args.get(name)}
        cluster = core_of(args["__self__"]).apply(lambda core: core["cluster"])
        authority = cluster.apply(lambda cluster: cluster.certificate_authority)
        config = pulumi.Output.all(
            cluster.apply(lambda cluster: cluster.endpoint),
            authority.apply(lambda authority: authority.data or ""),
            cluster.apply(lambda cluster: cluster.arn),
            options,
        ).apply(lambda values: kubeconfig.for_cluster(*values))
        return CallResult({"result": config.apply(lambda value: json.dumps(value, separators=(",", ":")))})
