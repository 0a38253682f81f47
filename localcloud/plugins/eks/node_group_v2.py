"""`eks.NodeGroupV2`: machines of an Auto Scaling group, which join a cluster by themselves."""

from collections.abc import Mapping
from typing import Any, ClassVar

import pulumi

from localcloud.plugins.components.component import Component
from localcloud.plugins.eks.arguments import NODE_GROUP
from localcloud.plugins.eks.node_group import NodeGroup
from localcloud.plugins.eks.reference import core_of


class NodeGroupV2(Component):
    """Pulumi type `eks:index:NodeGroupV2`: ec2.LaunchTemplate, autoscaling.Group, security group of its own.

    Outputs: `autoScalingGroup`, `nodeSecurityGroup`, `nodeSecurityGroupId`, `extraNodeSecurityGroups`.
    """

    TYPE: ClassVar[str] = "eks:index:NodeGroupV2"
    ARGUMENTS = NODE_GROUP

    def __init__(self, name: str, inputs: Mapping[str, Any], opts: pulumi.ResourceOptions | None) -> None:
        super().__init__(name, inputs, opts)
        self.outputs = NodeGroup(name, inputs, core_of(inputs["cluster"]), self).outputs()
        self.register_outputs(self.outputs)
