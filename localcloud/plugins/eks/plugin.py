"""The plugin: its components."""

from importlib.metadata import version

from localcloud.plugins.components.component import Component
from localcloud.plugins.components.plugin import ComponentPlugin
from localcloud.plugins.eks.addon import Addon
from localcloud.plugins.eks.cluster import Cluster
from localcloud.plugins.eks.managed_node_group import ManagedNodeGroup
from localcloud.plugins.eks.vpc_cni_addon import VpcCniAddon

VERSION = version("pulumi-eks")

COMPONENTS: dict[str, type[Component]] = {
    component.TYPE: component for component in (Cluster, ManagedNodeGroup, Addon, VpcCniAddon)
}


class Plugin(ComponentPlugin):
    """Makes components of pulumi_eks. Its one method makes kubeconfigs for other AWS credentials."""

    def __init__(self) -> None:
        super().__init__(VERSION, COMPONENTS, "use the cluster's kubeconfig output")
