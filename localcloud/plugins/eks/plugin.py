"""The plugin: its components, and how they are served."""

from importlib.metadata import version
from typing import Any

import pulumi
from pulumi.provider import CallResult, ConstructResult, Provider

from localcloud.errors import Refusal
from localcloud.plugins.eks.addon import Addon
from localcloud.plugins.eks.cluster import Cluster
from localcloud.plugins.eks.component import Component
from localcloud.plugins.eks.managed_node_group import ManagedNodeGroup
from localcloud.plugins.eks.vpc_cni_addon import VpcCniAddon

VERSION = version("pulumi-eks")

COMPONENTS: dict[str, type[Component]] = {
    component.TYPE: component for component in (Cluster, ManagedNodeGroup, Addon, VpcCniAddon)
}


class Plugin(Provider):
    """Makes components of pulumi_eks."""

    def __init__(self) -> None:
        super().__init__(VERSION)

    def construct(
        self,
        name: str,
        resource_type: str,
        inputs: pulumi.Inputs,
        options: pulumi.ResourceOptions | None = None,
    ) -> ConstructResult:
        """Make one component. Raises Refusal when the laptop cloud does not serve it, or an argument."""
        component = COMPONENTS.get(resource_type)
        if component is None:
            served = ", ".join(sorted(COMPONENTS))
            raise Refusal(f"The laptop cloud does not serve {resource_type} ({name}): it serves {served}.")
        arguments = {key: value for key, value in inputs.items() if value is not None}
        resource = component(name, arguments, options)
        return ConstructResult(resource.urn, resource.outputs)

    def call(self, token: str, args: pulumi.Inputs) -> CallResult:
        """Refuse every method: there is one, and it makes kubeconfigs for other AWS credentials."""
        raise Refusal(f"The laptop cloud does not serve {token}: use the cluster's kubeconfig output.")

    def invoke(self, token: str, args: Any) -> Any:
        """Refuse every function: the real plugin has none."""
        raise Refusal(f"There is no function {token} in eks: correct its name.")
