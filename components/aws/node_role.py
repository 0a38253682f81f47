"""The IAM role of a cluster's nodes: enough for a node to be one, and nothing for the pods on it."""

from dataclasses import dataclass, field

import pulumi
import pulumi_aws as aws

from components.aws.policy import trust

POLICIES = ("AmazonEKSWorkerNodeMinimalPolicy", "AmazonEC2ContainerRegistryPullOnly", "AmazonEKS_CNI_Policy")


@dataclass(frozen=True, kw_only=True)
class NodeRoleArgs:
    """What differs between node roles.

    permissions_boundary_arn: policy that bounds whatever else the role is ever given.
    """

    permissions_boundary_arn: str | None = None
    tags: dict[str, str] = field(default_factory=dict)


class NodeRole(pulumi.ComponentResource):
    """Pulumi type `moka:aws:NodeRole`.

    Makes: iam.Role, and a RolePolicyAttachment each for joining the cluster, pulling images, and
    giving pods their addresses.
    Outputs: `arn`, known only once the policies are attached.
    """

    arn: pulumi.Output[str]

    def __init__(self, name: str, args: NodeRoleArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:aws:NodeRole", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)

        role = aws.iam.Role(
            name,
            assume_role_policy=trust("ec2.amazonaws.com"),
            permissions_boundary=args.permissions_boundary_arn,
            tags=args.tags,
            opts=child,
        )
        attached = [
            aws.iam.RolePolicyAttachment(
                f"{name}-{policy}",
                role=role.name,
                policy_arn=f"arn:aws:iam::aws:policy/{policy}",
                opts=child,
            )
            for policy in POLICIES
        ]
        self.arn = pulumi.Output.all(role.arn, *[each.id for each in attached]).apply(lambda made: made[0])
        self.register_outputs({"arn": self.arn})
