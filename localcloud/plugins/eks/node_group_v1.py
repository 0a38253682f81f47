"""`eks.NodeGroup`: machines of an Auto Scaling group, in a stack of CloudFormation.

Source: createNodeGroup in nodejs/eks/nodes/nodegroup.ts of github.com/pulumi/pulumi-eks.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pulumi
import pulumi_aws as aws

from localcloud.plugins.components.component import Component
from localcloud.plugins.eks import node_group
from localcloud.plugins.eks.arguments import NODE_GROUP_V1
from localcloud.plugins.eks.node_group import DEFAULT_TYPE, VOLUME, before_nodes, check
from localcloud.plugins.eks.reference import core_of


@dataclass(frozen=True)
class NodesOfStack(node_group.NodeGroup):
    """The nodes of eks.NodeGroup."""

    kind: ClassVar[str] = "NodeGroup"

    def outputs(self) -> dict[str, Any]:
        """Make it; what eks.NodeGroup gives out."""
        check(f"eks.{self.kind} {self.name}", self.inputs)
        group, group_id, rule_id = self._security_group()
        stack = self._stack(self._launch_configuration(group_id, rule_id))
        outputs = {
            "nodeSecurityGroup": group,
            "nodeSecurityGroupId": group_id,
            "cfnStack": stack,
            "autoScalingGroupName": stack.outputs.apply(lambda outputs: outputs["NodeGroup"]),
            "extraNodeSecurityGroups": self.inputs.get("extraNodeSecurityGroups", []),
        }
        return {name: value for name, value in outputs.items() if value is not None}

    def _launch_configuration(
        self, group_id: pulumi.Input[str], rule_id: pulumi.Input[str]
    ) -> aws.ec2.LaunchConfiguration:
        inputs = self.inputs
        disk = {name: inputs.get(argument) for name, argument in VOLUME.items()}
        arguments: dict[str, Any] = {
            "associate_public_ip_address": inputs.get("nodeAssociatePublicIpAddress", True),
            "image_id": inputs.get("amiId") or self._image(),
            "instance_type": inputs.get("instanceType") or DEFAULT_TYPE,
            "iam_instance_profile": self.core.apply(self._profile),
            "key_name": self._key(),
            "security_groups": self._groups(group_id, rule_id),
            "spot_price": inputs.get("spotPrice"),
            "root_block_device": {name: value for name, value in disk.items() if value is not None},
            "user_data": self._plain_user_data(),
            "enable_monitoring": inputs.get("enableDetailedMonitoring"),
        }
        name = f"{self.name}-nodeLaunchConfiguration"
        return aws.ec2.LaunchConfiguration(name, opts=self._child, **arguments)

    def _stack(self, configuration: aws.ec2.LaunchConfiguration) -> aws.cloudformation.Stack:
        minimum, maximum, desired = self._sizes()
        body = pulumi.Output.all(
            configuration.id, minimum, maximum, desired, self._node_subnets(), self._tags()
        ).apply(lambda values: template(values, in_service=0 if self.inputs.get("spotPrice") else 1))
        tags = pulumi.Output.all(
            self.core.apply(lambda core: core.get("tags") or {}), self.inputs.get("cloudFormationTags") or {}
        ).apply(lambda values: {"Name": f"{self.name}-nodes", **values[1], **values[0]})
        return aws.cloudformation.Stack(
            f"{self.name}-nodes",
            name=f"{self.name}-{_suffix(self.name)}",
            template_body=body,
            tags=tags,
            opts=pulumi.ResourceOptions(parent=self.parent, depends_on=self.core.apply(before_nodes)),
        )


def template(values: Sequence[Any], in_service: int) -> str:
    """The template of the stack.

    values: launch configuration, minimum, maximum, desired size, subnets, tags. in_service: machines that an
    update leaves running, at the least.
    """
    configuration, minimum, maximum, desired, subnets, tags = values
    group = {
        "Type": "AWS::AutoScaling::AutoScalingGroup",
        "Properties": {
            "DesiredCapacity": int(desired),
            "LaunchConfigurationName": configuration,
            "MinSize": int(minimum),
            "MaxSize": int(maximum),
            "VPCZoneIdentifier": subnets,
            "Tags": [
                {"Key": key, "Value": value, "PropagateAtLaunch": "true"} for key, value in tags.items()
            ],
        },
        "UpdatePolicy": {
            "AutoScalingRollingUpdate": {"MinInstancesInService": str(in_service), "MaxBatchSize": "1"}
        },
    }
    return (
        "AWSTemplateFormatVersion: '2010-09-09'\n"
        "Outputs: {NodeGroup: {Value: !Ref NodeGroup}}\n"
        f"Resources: {json.dumps({'NodeGroup': group})}\n"
    )


def _suffix(name: str) -> str:
    """What makes a stack's name unique; the real plugin has a resource that makes one up."""
    whole = f"{pulumi.get_project()} {pulumi.get_stack()} {name}"
    return hashlib.sha256(whole.encode()).hexdigest()[:8]


class NodeGroup(Component):
    """Pulumi type `eks:index:NodeGroup`: ec2.LaunchConfiguration, cloudformation.Stack, a security group.

    Outputs: `autoScalingGroupName`, `cfnStack`, `nodeSecurityGroup`, `nodeSecurityGroupId`,
    `extraNodeSecurityGroups`.
    """

    TYPE: ClassVar[str] = "eks:index:NodeGroup"
    ARGUMENTS = NODE_GROUP_V1

    def __init__(self, name: str, inputs: Mapping[str, Any], opts: pulumi.ResourceOptions | None) -> None:
        super().__init__(name, inputs, opts)
        self.outputs = NodesOfStack(name, inputs, core_of(inputs["cluster"]), self).outputs()
        self.register_outputs(self.outputs)
