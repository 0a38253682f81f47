"""`eks.ManagedNodeGroup`: a group of machines that EKS keeps; the `aws` plugin makes them kwok nodes."""

from collections.abc import Mapping
from typing import Any, ClassVar

import pulumi
import pulumi_aws as aws

from localcloud.errors import Refusal
from localcloud.plugins.eks.arguments import MANAGED_NODE_GROUP
from localcloud.plugins.eks.component import Component
from localcloud.plugins.eks.reference import core_of

SIZES = {"desiredSize": 2, "minSize": 1, "maxSize": 2}
"""Sizes where none are given."""


PASSED_ON = {
    "ami_type": "amiType",
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
"""Arguments of the node group that are the component's own."""


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
        cluster: pulumi.Output[aws.eks.Cluster] = core.apply(lambda known: known["cluster"])

        version = inputs.get("version")
        if version is None and "launchTemplate" not in inputs:
            version = cluster.apply(lambda known: known.version)
        ignored = ["scalingConfig.desiredSize"] if inputs.get("ignoreScalingChanges") else None

        arguments: dict[str, Any] = {argument: inputs.get(wire) for argument, wire in PASSED_ON.items()} | {
            "cluster_name": inputs.get("clusterName") or cluster.apply(lambda known: known.name),
            "node_role_arn": role_arn,
            "subnet_ids": inputs.get("subnetIds") or core.apply(_subnets),
            "scaling_config": pulumi.Output.from_input(inputs.get("scalingConfig", {})).apply(sizes),
            "version": version,
        }
        group = aws.eks.NodeGroup(
            name, opts=pulumi.ResourceOptions(parent=self, ignore_changes=ignored), **arguments
        )
        self.outputs = {"nodeGroup": group, "placementGroupName": ""}
        self.register_outputs(self.outputs)


def sizes(given: Mapping[str, Any]) -> dict[str, Any]:
    """Sizes of a group, those that are not given by default."""
    return SIZES | {size: value for size, value in given.items() if value is not None}


def _subnets(core: Mapping[str, Any]) -> list[str]:
    return list(core.get("subnetIds") or core.get("privateSubnetIds") or core.get("publicSubnetIds") or [])
