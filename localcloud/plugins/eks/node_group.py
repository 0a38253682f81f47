"""Nodes that join a cluster by themselves: a launch template and an Auto Scaling group.

Source: createNodeGroupV2 in nodejs/eks/nodes/nodegroup.ts of github.com/pulumi/pulumi-eks.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import pulumi
import pulumi_aws as aws

from aws_rules.nodes.templates import ROOT_DEVICE
from localcloud.errors import Refusal
from localcloud.plugins.eks import security_groups
from localcloud.plugins.eks.images import ami_type
from localcloud.plugins.eks.node_user_data import user_data
from localcloud.plugins.eks.worker_subnets import worker_subnets

DEFAULT_TYPE = "t3.medium"

PARAMETERS = {
    "AL2023_x86_64_STANDARD": "x86_64/standard",
    "AL2023_ARM_64_STANDARD": "arm64/standard",
    "AL2023_x86_64_NVIDIA": "x86_64/nvidia",
}
"""Type of image -> where below amazon-linux-2023 EKS publishes the newest of it."""

VOLUME = {
    "encrypted": "nodeRootVolumeEncrypted",
    "volume_size": "nodeRootVolumeSize",
    "volume_type": "nodeRootVolumeType",
    "iops": "nodeRootVolumeIops",
    "throughput": "nodeRootVolumeThroughput",
    "delete_on_termination": "nodeRootVolumeDeleteOnTermination",
}
"""Setting of the root volume -> argument."""


@dataclass(frozen=True)
class NodeGroup:
    """The default nodes of a cluster, or those of eks.NodeGroupV2.

    inputs: arguments of eks.NodeGroupV2. core: of the cluster. parent: of what is made. kind: of eks.
    """

    name: str
    inputs: Mapping[str, Any]
    core: pulumi.Output[Mapping[str, Any]]
    parent: pulumi.Resource
    kind: ClassVar[str] = "NodeGroupV2"

    def outputs(self) -> dict[str, Any]:
        """Make it; what eks.NodeGroupV2 gives out."""
        check(f"eks.{self.kind} {self.name}", self.inputs)
        group, group_id, rule_id = self._security_group()
        template = self._launch_template(group_id, rule_id)
        scaling_group = self._scaling_group(template)
        outputs = {
            "nodeSecurityGroup": group,
            "nodeSecurityGroupId": group_id,
            "autoScalingGroup": scaling_group,
            "extraNodeSecurityGroups": self.inputs.get("extraNodeSecurityGroups", []),
        }
        return {name: value for name, value in outputs.items() if value is not None}

    @property
    def _child(self) -> pulumi.ResourceOptions:
        return pulumi.ResourceOptions(parent=self.parent)

    def _of_cluster(self, name: str) -> pulumi.Output[Any]:
        """An output of the cluster."""
        return self.core.apply(lambda core: getattr(core["cluster"], name))

    def _security_group(self) -> tuple[Any, pulumi.Input[str], pulumi.Input[str]]:
        """Security group of the nodes, its id, and the rule that lets them reach the control plane."""
        inputs = self.inputs
        if group := inputs.get("nodeSecurityGroup"):
            return group, _id(group), _id(inputs.get("clusterIngressRule")) or inputs["clusterIngressRuleId"]
        if id := inputs.get("nodeSecurityGroupId"):
            return None, id, _id(inputs.get("clusterIngressRule")) or inputs["clusterIngressRuleId"]
        own = self._of_cluster("vpc_config").apply(lambda vpc: vpc.cluster_security_group_id)
        group, rule = security_groups.node_group(
            self.name,
            self.core.apply(lambda core: core["vpcId"]),
            self._of_cluster("name"),
            self.core.apply(lambda core: _id(core.get("clusterSecurityGroup")) or own),
            self.core.apply(lambda core: core.get("nodeSecurityGroupTags") or {}),
            self.core.apply(lambda core: core.get("tags") or {}),
            self._child,
        )
        return group, group.id, rule.id

    def _launch_template(
        self, group_id: pulumi.Input[str], rule_id: pulumi.Input[str]
    ) -> aws.ec2.LaunchTemplate:
        inputs = self.inputs
        # As in the real one, the nodes come after the rule by which they reach the control plane.
        groups = self._groups(group_id, rule_id)
        public = inputs.get("nodeAssociatePublicIpAddress")
        arguments: dict[str, Any] = {
            "image_id": inputs.get("amiId") or self._image(),
            "instance_type": inputs.get("instanceType") or DEFAULT_TYPE,
            "iam_instance_profile": {"name": self.core.apply(self._profile)},
            "key_name": self._key(),
            "instance_market_options": _spot(inputs.get("spotPrice")),
            "block_device_mappings": _volumes(inputs),
            "network_interfaces": [
                {
                    "associate_public_ip_address": "false" if public is False else "true",
                    "security_groups": groups,
                }
            ],
            "user_data": self._user_data(),
            "tag_specifications": inputs.get("launchTemplateTagSpecifications"),
            "monitoring": (
                {"enabled": inputs["enableDetailedMonitoring"]}
                if "enableDetailedMonitoring" in inputs
                else None
            ),
        }
        return aws.ec2.LaunchTemplate(f"{self.name}-launchTemplate", opts=self._child, **arguments)

    def _groups(self, group_id: pulumi.Input[str], rule_id: pulumi.Input[str]) -> pulumi.Output[Any]:
        """Security groups of the nodes, known once they reach the control plane."""
        extra = [_id(group) for group in self.inputs.get("extraNodeSecurityGroups") or ()]
        return pulumi.Output.all(rule_id, group_id, *extra).apply(lambda values: values[1:])

    def _key(self) -> Any:
        if "nodePublicKey" not in self.inputs:
            return self.inputs.get("keyName")
        key = aws.ec2.KeyPair(
            f"{self.name}-keyPair", public_key=self.inputs["nodePublicKey"], opts=self._child
        )
        return key.key_name

    def _image(self) -> pulumi.Output[str]:
        """The newest image that EKS publishes for the version of the cluster."""
        inputs, options = self.inputs, pulumi.InvokeOutputOptions(parent=self.parent)
        types = [inputs["instanceType"]] if inputs.get("instanceType") else []

        def value(values: Any) -> pulumi.Output[str]:
            version, gpu, *types = values
            kind = inputs.get("amiType") or ami_type(
                f"eks.{self.kind} {self.name}", "AL2023", bool(gpu), types
            )
            path = f"/aws/service/eks/optimized-ami/{version}/amazon-linux-2023/{PARAMETERS[kind]}"
            name = f"{path}/recommended/image_id"
            return aws.ssm.get_parameter_output(name=name, opts=options).value

        version = inputs.get("version") or self._of_cluster("version")
        return pulumi.Output.all(version, inputs.get("gpu", False), *types).apply(value)

    def _profile(self, core: Mapping[str, Any]) -> Any:
        """Name of the instance profile: the group's own, or else that of the cluster's default nodes."""
        for options in (self.inputs, core.get("nodeGroupOptions") or {}):
            if options.get("instanceProfile"):
                profile: pulumi.Output[Any] = pulumi.Output.from_input(options["instanceProfile"])
                return profile.apply(lambda profile: profile.name)
            if options.get("instanceProfileName"):
                return options["instanceProfileName"]
        raise Refusal(
            f"eks.{self.kind} {self.name}: an instanceProfile or instanceProfileName is required: set one."
        )

    def _user_data(self) -> pulumi.Output[str]:
        return self._plain_user_data().apply(lambda text: base64.b64encode(text.encode()).decode())

    def _plain_user_data(self) -> pulumi.Output[str]:
        return pulumi.Output.all(
            self._of_cluster("name"),
            self._of_cluster("endpoint"),
            self._of_cluster("certificate_authority").apply(lambda authority: authority.data or ""),
            self._of_cluster("kubernetes_network_config").apply(lambda network: network.service_ipv4_cidr),
            _plain(self.inputs),
        ).apply(lambda values: user_data(*values))

    def _scaling_group(self, template: aws.ec2.LaunchTemplate) -> aws.autoscaling.Group:
        inputs = self.inputs
        tags = self._tags().apply(
            lambda tags: [
                {"key": key, "value": value, "propagateAtLaunch": True} for key, value in tags.items()
            ]
        )
        minimum, maximum, desired = self._sizes()
        arguments: dict[str, Any] = {
            "min_size": minimum,
            "max_size": maximum,
            "desired_capacity": desired,
            "launch_template": {"name": template.name, "version": template.latest_version.apply(str)},
            "vpc_zone_identifiers": self._node_subnets(),
            "instance_refresh": {
                "strategy": "Rolling",
                "preferences": {"min_healthy_percentage": _size(inputs, "minRefreshPercentage", 50)},
            },
            "tags": tags,
        }
        opts = pulumi.ResourceOptions(
            parent=self.parent,
            depends_on=self.core.apply(before_nodes),
            ignore_changes=["desiredCapacity"] if inputs.get("ignoreScalingChanges") else None,
        )
        return aws.autoscaling.Group(self.name, opts=opts, **arguments)

    def _node_subnets(self) -> pulumi.Input[Any]:
        return self.inputs.get("nodeSubnetIds") or self.core.apply(self._subnets)

    def _sizes(self) -> tuple[Any, Any, Any]:
        """Minimum, maximum and desired number of nodes."""
        minimum, maximum, desired = (
            _size(self.inputs, name, default)
            for name, default in (("minSize", 1), ("maxSize", 2), ("desiredCapacity", 2))
        )
        return minimum, maximum, desired

    def _tags(self) -> pulumi.Output[dict[str, str]]:
        """Tags of the Auto Scaling group and of its machines."""
        own = self.inputs.get("autoScalingGroupTags") or {}
        return pulumi.Output.all(self._of_cluster("name"), own).apply(
            lambda values: {
                **values[1],
                f"kubernetes.io/cluster/{values[0]}": "owned",
                "Name": f"{values[0]}-worker",
            }
        )

    def _subnets(self, core: Mapping[str, Any]) -> Any:
        for name in ("privateSubnetIds", "publicSubnetIds"):
            if core.get(name) is not None:
                return core[name]
        return worker_subnets(core["subnetIds"], core["vpcId"], self.parent)


def check(about: str, inputs: Mapping[str, Any]) -> None:
    """Raise Refusal for arguments that do not fit each other, or are not followed here."""
    if inputs.get("operatingSystem") not in (None, "AL2023"):
        raise Refusal(f"{about}: the laptop cloud reads user data of AL2023 only: set operatingSystem to it.")
    if inputs.get("amiType") not in (None, *PARAMETERS):
        kinds = ", ".join(PARAMETERS)
        raise Refusal(f"{about}: the laptop cloud reads user data of AL2023 only: set amiType to {kinds}.")
    own = inputs.get("nodeSecurityGroup") or inputs.get("nodeSecurityGroupId")
    if own and not (inputs.get("clusterIngressRule") or inputs.get("clusterIngressRuleId")):
        raise Refusal(
            f"{about}: clusterIngressRule or clusterIngressRuleId is required when nodeSecurityGroup is "
            "manually specified: set one."
        )
    for name, rival in (("nodePublicKey", "keyName"), ("amiId", "gpu")):
        if inputs.get(name) and inputs.get(rival):
            raise Refusal(f"{about}: {name} and {rival} are mutually exclusive: keep one.")


def before_nodes(core: Mapping[str, Any]) -> list[pulumi.Resource]:
    """What there must be before nodes: the VPC CNI, and the ConfigMap aws-auth."""
    return [core[name] for name in ("vpcCni", "eksNodeAccess") if core.get(name) is not None]


def _id(resource: Any) -> Any:
    """The id of a resource, which may be none or an output."""
    return resource and pulumi.Output.from_input(resource).apply(lambda resource: resource.id)


def _size(inputs: Mapping[str, Any], name: str, default: int) -> Any:
    return inputs[name] if inputs.get(name) is not None else default


def _spot(price: Any) -> Any:
    return {"market_type": "spot", "spot_options": {"max_price": price}} if price else None


def _volumes(inputs: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The root volume, where an argument is about it: the image has its own."""
    set_ = {name: inputs[argument] for name, argument in VOLUME.items() if inputs.get(argument) is not None}
    for name in ("encrypted", "delete_on_termination"):
        if name in set_:
            set_[name] = pulumi.Output.from_input(set_[name]).apply(lambda on: "true" if on else "false")
    return [{"device_name": ROOT_DEVICE, "ebs": set_}] if set_ else []


def _plain(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments that user data are made of."""
    names = ("labels", "taints", "kubeletExtraArgs", "nodeadmExtraOptions", "nodeUserData")
    return {name: inputs[name] for name in (*names, "nodeUserDataOverride") if inputs.get(name)}
