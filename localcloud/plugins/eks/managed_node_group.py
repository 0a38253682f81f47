"""`eks.ManagedNodeGroup`: a group of machines; the `aws` plugin makes them kwok nodes."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import pulumi
import pulumi_aws as aws

from localcloud.errors import Refusal
from localcloud.plugins.components.component import Component
from localcloud.plugins.eks.access import by_entries
from localcloud.plugins.eks.arguments import MANAGED_NODE_GROUP
from localcloud.plugins.eks.images import ami_type
from localcloud.plugins.eks.reference import core_of

DEFAULT_SIZES = {"desiredSize": 2, "minSize": 1, "maxSize": 2}

NODE_GROUP_ARGUMENTS = {
    "capacity_type": "capacityType",
    "disk_size": "diskSize",
    "force_update_version": "forceUpdateVersion",
    "instance_types": "instanceTypes",
    "labels": "labels",
    "launch_template": "launchTemplate",
    "node_group_name": "nodeGroupName",
    "node_group_name_prefix": "nodeGroupNamePrefix",
    "release_version": "releaseVersion",
    "remote_access": "remoteAccess",
    "tags": "tags",
    "taints": "taints",
}
"""Arguments of the node group that are also arguments of the component."""


class ManagedNodeGroup(Component):
    """Pulumi type `eks:index:ManagedNodeGroup`: eks.NodeGroup of the same name.

    Outputs: `nodeGroup`, `placementGroupName` (empty).
    """

    TYPE: ClassVar[str] = "eks:index:ManagedNodeGroup"
    ARGUMENTS = MANAGED_NODE_GROUP

    def __init__(self, name: str, inputs: Mapping[str, Any], opts: pulumi.ResourceOptions | None) -> None:
        super().__init__(name, inputs, opts)
        if ("nodeRole" in inputs) == ("nodeRoleArn" in inputs):
            raise Refusal(f"eks.ManagedNodeGroup {name}: set one of nodeRole and nodeRoleArn.")
        role_arn = (
            inputs["nodeRoleArn"]
            if "nodeRoleArn" in inputs
            else pulumi.Output.from_input(inputs["nodeRole"]).apply(lambda role: role.arn)
        )
        core = core_of(inputs["cluster"])
        role_arn = pulumi.Output.all(core, role_arn).apply(lambda values: _known_role(name, *values))
        cluster: pulumi.Output[aws.eks.Cluster] = core.apply(lambda core: core["cluster"])

        version = inputs.get("version")
        if version is None and "launchTemplate" not in inputs:
            version = cluster.apply(lambda cluster: cluster.version)
        ignored = ["scalingConfig.desiredSize"] if inputs.get("ignoreScalingChanges") else None

        arguments: dict[str, Any] = {
            argument: inputs.get(wire) for argument, wire in NODE_GROUP_ARGUMENTS.items()
        } | {
            "ami_type": _ami_type(name, inputs),
            "cluster_name": inputs.get("clusterName") or cluster.apply(lambda cluster: cluster.name),
            "node_role_arn": role_arn,
            "subnet_ids": inputs.get("subnetIds") or core.apply(_subnets),
            "scaling_config": pulumi.Output.from_input(inputs.get("scalingConfig", {})).apply(sizes),
            "version": version,
        }
        opts = pulumi.ResourceOptions(
            parent=self, ignore_changes=ignored, depends_on=core.apply(_node_access)
        )
        group = aws.eks.NodeGroup(name, opts=opts, **arguments)
        self.outputs = {"nodeGroup": group, "placementGroupName": ""}
        self.register_outputs(self.outputs)


def sizes(scaling: Mapping[str, Any]) -> dict[str, Any]:
    """Sizes of a group, with defaults."""
    return DEFAULT_SIZES | {size: value for size, value in scaling.items() if value is not None}


def _ami_type(name: str, inputs: Mapping[str, Any]) -> Any:
    """Type of the image; as in the real component, `gpu` only matters with `operatingSystem`."""
    if "amiType" in inputs or "operatingSystem" not in inputs:
        return inputs.get("amiType")
    arguments = (inputs["operatingSystem"], inputs.get("gpu", False), inputs.get("instanceTypes", []))
    return pulumi.Output.all(*arguments).apply(
        lambda values: ami_type(f"eks.ManagedNodeGroup {name}", values[0], bool(values[1]), values[2])
    )


def _node_access(core: Mapping[str, Any]) -> list[pulumi.Resource]:
    """The ConfigMap aws-auth, if the cluster has it, which lets the machines in."""
    return [core["eksNodeAccess"]] if core.get("eksNodeAccess") else []


def _known_role(name: str, core: Mapping[str, Any], role_arn: str) -> pulumi.Output[str]:
    """The ARN. Raises Refusal where the cluster goes by aws-auth only, and the role is not in it."""

    def checked(values: Sequence[Any]) -> str:
        mode, arns = values
        if not by_entries(mode) and role_arn not in arns:
            raise Refusal(
                f"eks.ManagedNodeGroup {name}: A managed node group cannot be created without first setting "
                "its role in the cluster's instanceRoles: name it there, or set authenticationMode to API."
            )
        return role_arn

    mode = core["cluster"].access_config.apply(lambda access: access and access.authentication_mode)
    arns = [role.arn for role in core.get("instanceRoles") or ()]
    return pulumi.Output.all(mode, arns).apply(checked)


def _subnets(core: Mapping[str, Any]) -> list[str]:
    return list(core.get("subnetIds") or core.get("privateSubnetIds") or core.get("publicSubnetIds") or [])
