"""Launch templates of node groups: what EKS takes of them, and what keeps their machines from joining."""

import base64
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import yaml

from aws_rules.eks.versions import KUBERNETES_VERSION, minor
from aws_rules.nodes.user_data import multipart, node_configs
from aws_rules.rule import Rule, Violation

TEMPLATE = Rule(
    name="node-group-template",
    authority="EKS",
    decides="what a group's launch template may have, alone and beside the group's own settings",
    source="https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html",
)
LAUNCH = Rule(
    name="node-launch",
    authority="EKS",
    decides="whether EC2 starts machines of a group's launch template, and nodeadm and kubelet begin on them",
    source="https://docs.aws.amazon.com/eks/latest/APIReference/API_Issue.html",
)
RULES = (TEMPLATE, LAUNCH)

REQUEST, PARAMETER = "InvalidRequestException", "InvalidParameterException"

# Member of a launch template -> why EKS refuses it: "Launch template configuration basics" of the source.
# The first is in EKS's words: hashicorp/terraform-provider-aws#15118.
PROHIBITED: Mapping[str, str] = {
    "InstanceMarketOptions": "Instance market options are not supported with the launch template",
    "IamInstanceProfile": "The launch template has an IAM instance profile, which is prohibited: EKS makes "
    "one of nodeRole",
    "HibernationOptions": "The launch template has the Stop - Hibernate behavior, which is prohibited",
    "InstanceInitiatedShutdownBehavior": "The launch template has a shutdown behavior, which is prohibited: "
    "EKS controls the instances' lifecycle",
}
REMEDIES = {"InstanceMarketOptions": "set capacityType to SPOT in the node group instead"}

# Setting of a node group -> code and words where its launch template has to have it. Sources:
# crossplane-contrib/provider-upjet-aws#866, terraform-aws-modules/terraform-aws-eks#2219.
OF_TEMPLATE: Mapping[str, tuple[str, str]] = {
    "diskSize": (PARAMETER, "Disk size must be specified within the launch template"),
    "remoteAccess": (PARAMETER, "Remote access configuration cannot be specified with a launch template"),
}

OWN_IMAGE = "CUSTOM"
"""AMI type of a group whose launch template names an image."""

# With an image of one's own; source: of the rule, "Specifying an AMI".
NOT_WITH_IMAGE = ("releaseVersion", "version")

LINUX = ("AL2_", "AL2023_")
"""AMI types of Amazon Linux: their user data are MIME documents, and /dev/xvda is their root disk."""

ROOT_DEVICE, ROOT_GIB = "/dev/xvda", 20
"""Of EKS's Amazon Linux: API_CreateNodegroup, diskSize; aws-samples/amazon-eks-custom-amis: *.pkrvars.hcl."""

API_VERSION, KIND = "node.eks.aws/v1alpha1", "NodeConfig"

NOT_JOINED = "Instances failed to join the kubernetes cluster"

OF_CLUSTER: Mapping[str, str] = {
    "name": "name",
    "apiServerEndpoint": "endpoint",
    "certificateAuthority": "certificateAuthority.data",
}
"""Member of a NodeConfig's `spec.cluster` -> where EKS describes it."""

NEEDED: Mapping[str, str] = {
    "name": "Name",
    "apiServerEndpoint": "Apiserver endpoint",
    "certificateAuthority": "Certificate authority",
    "cidr": "CIDR",
}
"""Member of a NodeConfig's `spec.cluster` -> nodeadm's word for it, where it is missing:
awslabs/amazon-eks-ami: nodeadm/internal/api/validation.go."""

REMOVED_FLAGS: Mapping[str, int] = {"pod-infra-container-image": 35}
"""Flag of the kubelet -> the first minor version without it, which does not start with it:
kubernetes/kubernetes: CHANGELOG/CHANGELOG-1.35.md, "Urgent Upgrade Notes"."""

Data = Mapping[str, Any]


def refused_template(resource: str, settings: Mapping[str, Any], data: Data) -> Iterator[Violation]:
    """What EKS refuses as a group is made or changed.

    settings: of the group's request, as EKS names them. data: of its launch template, as EC2 describes it.
    """

    def violation(message: str, remedy: str, code: str = PARAMETER) -> Violation:
        return Violation(rule=TEMPLATE, resource=resource, code=code, message=message, remedy=remedy)

    for member, message in PROHIBITED.items():
        if data.get(member) not in (None, "", {}, {"Configured": False}):
            yield violation(message, REMEDIES.get(member, "leave it out"))
    if any(interface.get("SubnetId") for interface in data.get("NetworkInterfaces") or ()):
        message = "The launch template has a subnet under its network interfaces, which is prohibited"
        yield violation(message, "name subnets in the node group only")
    if data.get("InstanceType") and settings.get("instanceTypes"):
        message = "Cannot specify instance types in launch template and API request"
        yield violation(message, "leave instanceType out of the template", REQUEST)
    for setting, (code, message) in OF_TEMPLATE.items():
        if settings.get(setting):
            yield violation(message, f"leave {setting} out of the node group", code)
    yield from _image(violation, settings, data)


def _image(violation: Any, settings: Mapping[str, Any], data: Data) -> Iterator[Violation]:
    ami_type, image = settings.get("amiType"), data.get("ImageId")
    if image and ami_type not in (None, OWN_IMAGE):
        message = "You cannot specify an AMI Type when specifying an image id within the launch template"
        yield violation(message, f"leave amiType out, or imageId {image}")
    elif image:
        for setting in NOT_WITH_IMAGE:
            if settings.get(setting):
                message = (
                    f"You cannot specify the field {setting} when specifying an image id within the launch "
                    "template"
                )
                yield violation(message, f"leave {setting} out, or imageId {image}")
    elif ami_type == OWN_IMAGE:
        message = "AMI type CUSTOM needs an image id within the launch template"
        yield violation(message, "set imageId in the template, or another amiType")


def switched_image(resource: str, old: Data, new: Data) -> Iterator[Violation]:
    """Whether a group would go from an image of EKS to one of one's own, or back; old, new: templates."""
    if bool(old.get("ImageId")) != bool(new.get("ImageId")):
        yield Violation(
            rule=TEMPLATE,
            resource=resource,
            code=REQUEST,
            # The words of the source, "Limits and conditions when specifying an AMI ID".
            message="You must create a new node group to switch between specifying an AMI ID in a launch "
            "template and not specifying an AMI ID",
            remedy="make another node group",
        )


def unlaunched(
    resource: str, group: Mapping[str, Any], data: Data, cluster: Mapping[str, Any]
) -> Iterator[Violation]:
    """What keeps machines from starting, or from joining at all.

    group, cluster: as EKS describes them. data: of the launch template.
    """
    if data.get("NetworkInterfaces") and data.get("SecurityGroupIds"):
        yield _launch(
            resource,
            "AsgInstanceLaunchFailures",
            "Network interfaces and an instance-level security groups may not be specified on the same "
            "request (InvalidParameterCombination). Launching EC2 instance failed",
            "name the security groups under the network interface only",
        )
    if (data.get("MetadataOptions") or {}).get("HttpEndpoint") == "disabled":
        yield _launch(
            resource,
            "NodeCreationFailure",
            f"{NOT_JOINED}: nodeadm gets no instance details, as the instance metadata service is disabled",
            "set metadataOptions.httpEndpoint to enabled",
        )
    ami_type, text = str(group.get("amiType")), _user_data(data)
    if ami_type.startswith(LINUX):
        yield from _root_disk(resource, data)
        if text and not multipart(text):
            # Source: aws-ia/terraform-aws-eks-blueprints#843.
            yield _launch(
                resource,
                "Ec2LaunchTemplateInvalidConfiguration",
                "User data was not in the MIME multipart format",
                "write it as multipart/mixed, NodeConfigs as parts of application/node.eks.aws",
            )
            return
    if ami_type.startswith((*LINUX, OWN_IMAGE)):
        version = str(group.get("version") or cluster.get("version") or "")
        for config in node_configs(text):
            yield from _node_config(resource, config, cluster, version)
    if ami_type == OWN_IMAGE:
        yield from _not_told(resource, text)


def _user_data(data: Data) -> str:
    return base64.b64decode(data.get("UserData") or "").decode(errors="replace")


def _not_told(resource: str, text: str) -> Iterator[Violation]:
    """What nodeadm is not told of the cluster, as EKS adds nothing to user data of an image of one's own.

    User data without a NodeConfig are of an image that something else starts, and not judged.
    """
    members: dict[str, Any] = {}
    configs = list(node_configs(text))
    for config in configs:
        try:
            members |= ((yaml.safe_load(config) or {}).get("spec") or {}).get("cluster") or {}
        except (yaml.YAMLError, AttributeError):
            return
    if text and not configs:
        return
    if missing := [member for member in NEEDED if not members.get(member)]:
        yield _launch(
            resource,
            "NodeCreationFailure",
            f"{NOT_JOINED}: {NEEDED[missing[0]]} is missing in cluster configuration",
            f"say {', '.join(missing)} in spec.cluster of a NodeConfig: EKS adds no user data to those of an "
            "image of one's own",
        )


def _root_disk(resource: str, data: Data) -> Iterator[Violation]:
    for device in data.get("BlockDeviceMappings") or ():
        size = (device.get("Ebs") or {}).get("VolumeSize")
        if device.get("DeviceName") == ROOT_DEVICE and size and int(size) < ROOT_GIB:
            yield _launch(
                resource,
                "AsgInstanceLaunchFailures",
                f"Volume of size {size}GB is smaller than snapshot of the machine image, expect size >= "
                f"{ROOT_GIB}GB (InvalidBlockDeviceMapping). Launching EC2 instance failed",
                f"give {ROOT_DEVICE} {ROOT_GIB} GiB or more",
            )


def _node_config(resource: str, text: str, cluster: Mapping[str, Any], version: str) -> Iterator[Violation]:
    try:
        config = yaml.safe_load(text)
        kind = (config.get("apiVersion"), config.get("kind"))
    except (yaml.YAMLError, AttributeError):
        kind, config = (None, None), {}
    if kind != (API_VERSION, KIND):
        yield _launch(
            resource,
            "NodeCreationFailure",
            f"{NOT_JOINED}: nodeadm reads no {KIND} of {API_VERSION} in the user data's part",
            f"write `apiVersion: {API_VERSION}` and `kind: {KIND}`",
        )
        return
    spec = config.get("spec") or {}
    yield from _flags(resource, (spec.get("kubelet") or {}).get("flags") or (), version)
    settings = spec.get("cluster") or {}
    for member, path in OF_CLUSTER.items():
        value: Any = cluster
        for step in path.split("."):
            value = (value or {}).get(step)
        # EKS puts its own part first, and nodeadm lets the last one win: awslabs/amazon-eks-ami#1988.
        if settings.get(member) and value and settings[member] != value:
            yield _launch(
                resource,
                "NodeCreationFailure",
                f"{NOT_JOINED}: nodeadm takes {settings[member]} for the cluster's {member}, not {value}",
                f"leave spec.cluster.{member} out of the user data: EKS says it",
            )


def _flags(resource: str, flags: Iterable[Any], version: str) -> Iterator[Violation]:
    if not KUBERNETES_VERSION.fullmatch(version):
        return
    for flag in flags:
        name = str(flag).lstrip("-").partition("=")[0]
        if name in REMOVED_FLAGS and minor(version) >= REMOVED_FLAGS[name]:
            yield _launch(
                resource,
                "NodeCreationFailure",
                f"{NOT_JOINED}: kubelet {version} does not start with the unknown flag --{name}",
                f"leave --{name} out of spec.kubelet.flags: 1.{REMOVED_FLAGS[name]} removed it",
            )


def _launch(resource: str, code: str, message: str, remedy: str) -> Violation:
    return Violation(rule=LAUNCH, resource=resource, code=code, message=message, remedy=remedy)
