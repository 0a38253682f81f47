"""What programs call in AWS, each with its source: what it cannot do without, not all that it could use.

Texts in braces are those of `Place`, and what the function that asks adds to them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Call:
    """Actions on resources, made in one way.

    resources: ARNs; each action is made on each. context: condition keys that the requests have.
    """

    actions: tuple[str, ...]
    resources: tuple[str, ...] = ("*",)
    context: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Program:
    """A program, and what it calls. source: an address, or `repository: path`."""

    name: str
    calls: tuple[Call, ...]
    source: str


EC2 = "arn:{partition}:ec2:{region}:{account}"
BALANCING = "arn:{partition}:elasticloadbalancing:{region}:{account}"


def ec2(*actions: str) -> tuple[str, ...]:
    """Actions of EC2, without its prefix."""
    return tuple(f"ec2:{action}" for action in actions)


def balancing(*actions: str) -> tuple[str, ...]:
    """Actions of Elastic Load Balancing, without its prefix."""
    return tuple(f"elasticloadbalancing:{action}" for action in actions)


# --- nodes ---

NODEADM = Program(
    name="nodeadm",
    calls=(Call(actions=("ec2:DescribeInstances",)),),
    source="awslabs/amazon-eks-ami: nodeadm/internal/api/status.go",
)
"""It asks for the node's name, unless its feature gate InstanceIdNodeName is on."""

IMAGE_PULLER = Program(
    name="the kubelet's ECR credential provider",
    calls=(
        Call(actions=("ecr:GetAuthorizationToken",)),
        Call(
            actions=("ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"),
            resources=("arn:{partition}:ecr:{region}:{eks_registry}:repository/eks/pause",),
        ),
    ),
    # AmazonEC2ContainerRegistryPullOnly has no more: BatchCheckLayerAvailability is for pushes.
    source="https://docs.aws.amazon.com/AmazonECR/latest/userguide/ECR_on_EKS.html",
)
"""Images of add-ons, the VPC CNI among them, are in registries of EKS's."""

IMAGE_LAYERS = Call(
    actions=("s3:GetObject",), resources=("arn:{partition}:s3:::prod-{region}-starport-layer-bucket/layer",)
)
"""Layers of ECR's images are in a bucket of ECR's, reached through the VPC's endpoint of S3 if it has one.

Source: https://docs.aws.amazon.com/AmazonECR/latest/userguide/vpc-endpoints.html
"""

POD_IDENTITY_AGENT = Program(
    name="eks-pod-identity-agent",
    calls=(
        Call(
            actions=("eks-auth:AssumeRoleForPodIdentity",),
            resources=("arn:{partition}:eks:{region}:{account}:cluster/{cluster}",),
        ),
    ),
    source="https://docs.aws.amazon.com/eks/latest/userguide/pod-id-agent-setup.html",
)

# --- add-ons ---

_OF_CLUSTER = {"aws:ResourceTag/kubernetes.io/cluster/{cluster}": "owned"}
_INTERFACE = f"{EC2}:network-interface/eni-0123456789abcdef0"
_INSTANCE = f"{EC2}:instance/i-0123456789abcdef0"
_VOLUME = f"{EC2}:volume/vol-0123456789abcdef0"

VPC_CNI = Program(
    name="the VPC CNI",
    calls=(
        Call(
            actions=ec2(
                "DescribeInstanceTypes",
                "DescribeInstances",
                "DescribeNetworkInterfaces",
                "DescribeSecurityGroups",
                "DescribeSubnets",
                "DescribeTags",
            )
        ),
        # With prefix delegation it assigns prefixes, by the same action.
        Call(
            actions=ec2(
                "AssignPrivateIpAddresses",
                "AttachNetworkInterface",
                "DeleteNetworkInterface",
                "DetachNetworkInterface",
                "ModifyNetworkInterfaceAttribute",
                "UnassignPrivateIpAddresses",
            ),
            resources=(_INTERFACE,),
            context={
                "aws:ResourceTag/cluster.k8s.amazonaws.com/name": "{cluster}",
                "aws:ResourceTag/node.k8s.amazonaws.com/instance_id": "i-0123456789abcdef0",
                "ec2:ResourceTag/cluster.k8s.amazonaws.com/name": "{cluster}",
            },
        ),
        Call(
            actions=ec2("AttachNetworkInterface", "DetachNetworkInterface"),
            resources=(_INSTANCE,),
            context=_OF_CLUSTER,
        ),
        Call(
            actions=("ec2:CreateNetworkInterface",),
            resources=(
                _INTERFACE,
                f"{EC2}:subnet/subnet-0123456789abcdef0",
                f"{EC2}:security-group/sg-0123456789abcdef0",
            ),
            context={"aws:RequestTag/cluster.k8s.amazonaws.com/name": "{cluster}"},
        ),
        Call(
            actions=("ec2:CreateTags",),
            resources=(_INTERFACE,),
            context={"ec2:CreateAction": "CreateNetworkInterface"},
        ),
    ),
    source="aws/amazon-vpc-cni-k8s: docs/iam-policy.md",
)

_CSI_SESSION = {"aws:PrincipalTag/eks-cluster-name": "{cluster}"}
_MADE_BY_CSI = {
    **_CSI_SESSION,
    "ec2:ResourceTag/ebs.csi.aws.com/cluster-name": "{cluster}",
    "aws:ResourceTag/ebs.csi.aws.com/cluster-name": "{cluster}",
    "ec2:ResourceTag/ebs.csi.aws.com/cluster": "true",
    "aws:ResourceTag/ebs.csi.aws.com/cluster": "true",
    "ec2:ResourceTag/kubernetes.io/created-for/pvc/name": "data",
    "aws:ResourceTag/kubernetes.io/created-for/pvc/name": "data",
}

EBS_CSI_DRIVER = Program(
    name="the EBS CSI driver",
    calls=(
        Call(
            actions=ec2(
                "DescribeAvailabilityZones",
                "DescribeInstances",
                "DescribeVolumes",
                "DescribeVolumesModifications",
            )
        ),
        Call(
            actions=("ec2:CreateVolume",),
            resources=(f"{EC2}:volume/*",),
            context={
                **_CSI_SESSION,
                "aws:RequestTag/ebs.csi.aws.com/cluster": "true",
                "aws:RequestTag/ebs.csi.aws.com/cluster-name": "{cluster}",
                "aws:RequestTag/kubernetes.io/created-for/pvc/name": "data",
            },
        ),
        Call(
            actions=("ec2:CreateTags",),
            resources=(f"{EC2}:volume/*",),
            context={"ec2:CreateAction": "CreateVolume"},
        ),
        Call(
            actions=ec2("AttachVolume", "DeleteVolume", "DetachVolume", "ModifyVolume"),
            resources=(_VOLUME,),
            context=_MADE_BY_CSI,
        ),
        Call(
            actions=ec2("AttachVolume", "DetachVolume"),
            resources=(_INSTANCE,),
            # EKS gives the second to machines of its node groups (User Guide, "Tag your resources").
            context={**_OF_CLUSTER, **_CSI_SESSION, "ec2:ResourceTag/eks:cluster-name": "{cluster}"},
        ),
    ),
    source="kubernetes-sigs/aws-ebs-csi-driver: docs/AmazonEBSCSIDriverEKSClusterScopedPolicy.json",
)


@dataclass(frozen=True, kw_only=True)
class Addon:
    """Which program of an add-on of EKS calls AWS, and by which service account, in `kube-system`.

    on_node: its pods are in the network of their node, and have the node's role if they have none.
    """

    program: Program
    service_account: str
    on_node: bool = False


ADDONS: Mapping[str, Addon] = {
    "vpc-cni": Addon(program=VPC_CNI, service_account="aws-node", on_node=True),
    "aws-ebs-csi-driver": Addon(program=EBS_CSI_DRIVER, service_account="ebs-csi-controller-sa"),
}
"""EKS's own add-ons that call AWS; `describe-addon-configuration` shows their service accounts."""

NO_CALLS = frozenset({"coredns", "eks-node-monitoring-agent", "eks-pod-identity-agent", "kube-proxy"})
"""Add-ons without calls of their own; the Pod Identity agent's are the node's."""

# --- charts ---

CLUSTER_AUTOSCALER = Program(
    name="Cluster Autoscaler",
    calls=(
        Call(
            actions=(
                "autoscaling:DescribeAutoScalingGroups",
                "autoscaling:DescribeAutoScalingInstances",
                "autoscaling:DescribeLaunchConfigurations",
                "autoscaling:DescribeScalingActivities",
                *ec2(
                    "DescribeImages",
                    "DescribeInstanceTypes",
                    "DescribeLaunchTemplateVersions",
                    "GetInstanceTypesFromInstanceRequirements",
                ),
            )
        ),
        Call(
            actions=("eks:DescribeNodegroup",),
            resources=("arn:{partition}:eks:{region}:{account}:nodegroup/{cluster}/group/0a1b2c3d",),
        ),
        # Tags that EKS gives to the groups of its managed node groups.
        Call(
            actions=("autoscaling:SetDesiredCapacity", "autoscaling:TerminateInstanceInAutoScalingGroup"),
            resources=(
                "arn:{partition}:autoscaling:{region}:{account}:autoScalingGroup:0a1b2c3d:"
                "autoScalingGroupName/eks-group-0a1b2c3d",
            ),
            context={
                f"{prefix}:ResourceTag/{tag}": value
                for prefix in ("aws", "autoscaling")
                for tag, value in {
                    "eks:cluster-name": "{cluster}",
                    "eks:nodegroup-name": "group",
                    "k8s.io/cluster-autoscaler/enabled": "true",
                    "k8s.io/cluster-autoscaler/{cluster}": "owned",
                    "kubernetes.io/cluster/{cluster}": "owned",
                }.items()
            },
        ),
    ),
    source="kubernetes/autoscaler: cluster-autoscaler/cloudprovider/aws/README.md",
)

_NEW_TAGS = {"aws:RequestTag/elbv2.k8s.aws/cluster": "{cluster}"}
_TAGS = {"aws:ResourceTag/elbv2.k8s.aws/cluster": "{cluster}"}
_GROUP = f"{EC2}:security-group/sg-0123456789abcdef0"
_BALANCER = f"{BALANCING}:loadbalancer/net/a/0a1b2c3d"
_LISTENER = f"{BALANCING}:listener/net/a/0a1b2c3d/0a1b2c3d"
_TARGETS = f"{BALANCING}:targetgroup/a/0a1b2c3d"

LOAD_BALANCER_CONTROLLER = Program(
    name="AWS Load Balancer Controller",
    calls=(
        Call(
            actions=(
                *ec2(
                    "DescribeAvailabilityZones",
                    "DescribeInstances",
                    "DescribeNetworkInterfaces",
                    "DescribeSecurityGroups",
                    "DescribeSubnets",
                    "DescribeVpcs",
                ),
                *balancing(
                    "DescribeListenerAttributes",
                    "DescribeListeners",
                    "DescribeLoadBalancerAttributes",
                    "DescribeLoadBalancers",
                    "DescribeTags",
                    "DescribeTargetGroupAttributes",
                    "DescribeTargetGroups",
                    "DescribeTargetHealth",
                ),
            )
        ),
        Call(actions=("ec2:CreateSecurityGroup",), resources=(_GROUP,), context=_NEW_TAGS),
        Call(actions=("ec2:CreateSecurityGroup",), resources=(f"{EC2}:vpc/{{vpc}}",)),
        Call(
            actions=("ec2:CreateTags",),
            resources=(_GROUP,),
            context={**_NEW_TAGS, "ec2:CreateAction": "CreateSecurityGroup"},
        ),
        Call(
            actions=ec2("AuthorizeSecurityGroupIngress", "DeleteSecurityGroup", "RevokeSecurityGroupIngress"),
            resources=(_GROUP,),
            context=_TAGS,
        ),
        # The cluster's own security group, by which nodes are reached.
        Call(
            actions=ec2("AuthorizeSecurityGroupIngress", "RevokeSecurityGroupIngress"),
            resources=(_GROUP,),
            context=_OF_CLUSTER,
        ),
        Call(
            actions=balancing("CreateListener", "CreateLoadBalancer"),
            resources=(_BALANCER,),
            context=_NEW_TAGS,
        ),
        Call(actions=balancing("CreateTargetGroup"), resources=(_TARGETS,), context=_NEW_TAGS),
        *(
            Call(
                actions=balancing("AddTags"),
                resources=(arn,),
                context={**_NEW_TAGS, "elasticloadbalancing:CreateAction": action},
            )
            for action, arn in {
                "CreateListener": _LISTENER,
                "CreateLoadBalancer": _BALANCER,
                "CreateTargetGroup": _TARGETS,
            }.items()
        ),
        Call(
            actions=balancing(
                "DeleteLoadBalancer", "ModifyLoadBalancerAttributes", "SetSecurityGroups", "SetSubnets"
            ),
            resources=(_BALANCER,),
            context=_TAGS,
        ),
        Call(
            actions=balancing(
                "DeleteTargetGroup",
                "DeregisterTargets",
                "ModifyTargetGroup",
                "ModifyTargetGroupAttributes",
                "RegisterTargets",
            ),
            resources=(_TARGETS,),
            context=_TAGS,
        ),
        Call(
            actions=balancing(
                "AddListenerCertificates",
                "DeleteListener",
                "ModifyListener",
                "ModifyListenerAttributes",
                "RemoveListenerCertificates",
            ),
            resources=(_LISTENER,),
            context=_TAGS,
        ),
    ),
    source="kubernetes-sigs/aws-load-balancer-controller: docs/install/iam_policy.json",
)
"""For network load balancers, of Services."""


@dataclass(frozen=True, kw_only=True)
class Chart:
    """Which program of a Helm chart calls AWS. service_account: where the values name its account."""

    program: Program
    service_account: tuple[str, ...]


CHARTS: Mapping[str, Chart] = {
    "cluster-autoscaler": Chart(
        program=CLUSTER_AUTOSCALER, service_account=("rbac", "serviceAccount", "name")
    ),
    "aws-load-balancer-controller": Chart(
        program=LOAD_BALANCER_CONTROLLER, service_account=("serviceAccount", "name")
    ),
}

# --- services of AWS, by roles and keys of ours ---

CONTROL_PLANE = Program(
    name="the EKS control plane",
    calls=(
        Call(
            actions=ec2(
                "DescribeAvailabilityZones",
                "DescribeDhcpOptions",
                "DescribeInstanceTopology",
                "DescribeInstances",
                "DescribeNetworkInterfaces",
                "DescribeVpcs",
            )
        ),
        Call(actions=("ec2:CreateTags",), resources=(_INSTANCE,), context=_OF_CLUSTER),
    ),
    source="https://docs.aws.amazon.com/eks/latest/userguide/cluster-iam-role.html",
)

ENCRYPTED_SECRETS = Call(actions=("kms:DescribeKey",), resources=("{key}",))
"""What the control plane calls besides where Kubernetes secrets are encrypted with a key; the same source."""

_USE = ("kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKeyWithoutPlaintext")

ENCRYPTED_VOLUMES = Program(
    name="Auto Scaling, for encrypted volumes",
    calls=(
        Call(actions=(*_USE, "kms:ReEncryptFrom", "kms:ReEncryptTo"), resources=("{key}",)),
        Call(
            actions=("kms:CreateGrant",),
            resources=("{key}",),
            context={"kms:GrantIsForAWSResource": "true"},
        ),
    ),
    source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/key-policy-requirements-EBS-encryption.html",
)

ENCRYPTED_LOGS = Program(
    name="CloudWatch Logs, for encrypted log groups",
    calls=(
        Call(
            actions=("kms:Decrypt", "kms:Encrypt", "kms:GenerateDataKey"),
            resources=("{key}",),
            context={"kms:EncryptionContext:aws:logs:arn": "{log_group}"},
        ),
    ),
    source="https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/encrypt-log-data-kms.html",
)

ACCESS_LOGS = Program(
    name="S3's log delivery",
    calls=(
        Call(
            actions=("s3:PutObject",),
            resources=("arn:{partition}:s3:::{target}/{prefix}2026-11-22-00-00-00-0A1B2C3D",),
            context={
                "aws:SourceAccount": "{account}",
                "aws:SourceArn": "arn:{partition}:s3:::{bucket}",
            },
        ),
    ),
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/enable-server-access-logging.html",
)

PULL_THROUGH = Program(
    name="ECR, for copies of public images",
    calls=(
        Call(
            actions=("ecr:CreateRepository", "ecr:ReplicateImage", "ecr:TagResource"),
            resources=("arn:{partition}:ecr:{region}:{account}:repository/{prefix}/image",),
        ),
    ),
    source="https://docs.aws.amazon.com/AmazonECR/latest/userguide/repository-creation-templates-iam.html",
)

ENCRYPTED_COPIES = Call(
    actions=("kms:CreateGrant", "kms:DescribeKey", "kms:RetireGrant"), resources=("{key}",)
)
"""What it takes besides where the copies are encrypted with a key; the same source."""

KMS_FOR_S3: Mapping[str, tuple[str, ...]] = {
    "s3:GetObject": ("kms:Decrypt",),
    "s3:PutObject": ("kms:GenerateDataKey",),
}
"""Action on an object of a bucket with a key -> what S3 asks of the key in the caller's name.

Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingKMSEncryption.html
"""
