"""The IAM role of a cluster's nodes: enough for a node to be one, and nothing for the pods on it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pulumi
import pulumi_aws as aws

from moka.components.aws.policy import Statement, permit, trust
from moka.partition import managed_policy, partition
from moka.registries import UPSTREAM_HOSTS, ecr_host

POLICIES = ("AmazonEKSWorkerNodeMinimalPolicy", "AmazonEC2ContainerRegistryPullOnly")
"""The first of them lets the Pod Identity agent get credentials for pods, and does nothing else."""

NODE_NAME = Statement(sid="NodeName", actions=("ec2:DescribeInstances",), resources=["*"])
"""nodeadm asks EC2 for the name of its node, and without it none joins (docs/decisions/0020-node-role.md)."""


@dataclass(frozen=True, kw_only=True)
class NodeRoleArgs:
    """What differs between node roles.

    region: AWS region of the cluster.
    statements: what nodes may do besides joining the cluster and pulling images; by default nothing.
    path: of the role.
    permissions_boundary_arn: policy that bounds whatever else the role is ever given.
    tags: of every AWS resource that is made here.
    """

    region: str
    statements: Sequence[Statement] = ()
    path: str = "/"
    permissions_boundary_arn: str | None = None
    tags: dict[str, str] = field(default_factory=dict)


class NodeRole(pulumi.ComponentResource):
    """Pulumi type `moka:aws:NodeRole`.

    Makes: iam.Role, a RolePolicyAttachment each for the Pod Identity agent and for pulling images, and a
    RolePolicy for joining the cluster and what else is stated. Pods get their addresses by the VPC CNI's own
    identity, not by this role.
    Outputs: `arn`, known only once the role may do what it is for.
    """

    arn: pulumi.Output[str]

    def __init__(self, name: str, args: NodeRoleArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:aws:NodeRole", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)

        role = aws.iam.Role(
            name,
            path=args.path,
            assume_role_policy=trust("ec2.amazonaws.com"),
            permissions_boundary=args.permissions_boundary_arn,
            tags=args.tags,
            opts=child,
        )
        policies = [managed_policy(policy, args.region) for policy in POLICIES]
        self.arn = permit(
            name, role, child, statements=[NODE_NAME, *args.statements], managed_policy_arns=policies
        )
        self.register_outputs({"arn": self.arn})


def first_pulls(mirror: str) -> tuple[Statement, ...]:
    """What nodes need for the first pull of an image through a mirror, host and path.

    ECR's pull-through cache makes the copy's repository, named as the image is in public, as whoever pulls;
    the import itself is in AmazonEC2ContainerRegistryPullOnly. Nothing for a mirror that is not ECR.
    """
    host, slash, prefix = mirror.partition("/")
    registry = ecr_host(host)
    if registry is None:
        return ()
    region = registry.region
    repositories = f"arn:{partition(region)}:ecr:{region}:{registry.account}:repository{slash}{prefix}"
    copies = [f"{repositories}/{upstream}/*" for upstream in sorted(UPSTREAM_HOSTS)]
    return (Statement(sid="FirstPulls", actions=("ecr:CreateRepository",), resources=copies),)
