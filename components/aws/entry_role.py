"""A role in a cluster's account, by which programs on another cluster enter it."""

from dataclasses import dataclass, field

import pulumi
import pulumi_aws as aws

from moka.components.aws.access_entry import AccessEntry, AccessEntryArgs, ClusterAccess
from moka.components.aws.policy import Statement, document, permit
from moka.components.ordering import known_after


@dataclass(frozen=True, kw_only=True)
class EntryRoleArgs:
    """What differs between clusters.

    name: of the role, unique in the account, as those who take it on know it before it is there.
    trusted: ARN of the roles that may take it on, a pattern with `*`: theirs need not be there yet.
    cluster_name, cluster_arn: EKS cluster.
    region: of the cluster.
    groups: Kubernetes groups that it is in.
    path, permissions_boundary_arn: of the role.
    tags: of every AWS resource that is made here.
    """

    name: str
    trusted: str
    cluster_name: pulumi.Input[str]
    cluster_arn: pulumi.Input[str]
    region: str
    groups: tuple[str, ...]
    path: str = "/"
    permissions_boundary_arn: str | None = None
    tags: dict[str, str] = field(default_factory=dict)


class EntryRole(pulumi.ComponentResource):
    """Pulumi type `moka:aws:EntryRole`.

    Makes: iam.Role with a RolePolicy to learn where the cluster's API server is, and its AccessEntry.
    Outputs: `arn`, known only once it leads into the cluster.
    """

    arn: pulumi.Output[str]

    def __init__(self, name: str, args: EntryRoleArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:aws:EntryRole", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        role = aws.iam.Role(
            name,
            name=args.name,
            path=args.path,
            description=pulumi.Output.concat("Enters ", args.cluster_name, " for programs of other clusters"),
            assume_role_policy=entry_trust(args.trusted),
            permissions_boundary=args.permissions_boundary_arn,
            tags=args.tags,
            opts=child,
        )
        look = Statement(sid="Look", actions=("eks:DescribeCluster",), resources=[args.cluster_arn])
        arn = permit(name, role, child, statements=[look])
        entry = AccessEntry(
            name,
            AccessEntryArgs(
                cluster_name=args.cluster_name,
                region=args.region,
                access=ClusterAccess(principal_arn=arn, groups=args.groups),
                tags=args.tags,
            ),
            child,
        )
        self.arn = known_after(arn, entry.principal_arn)
        self.register_outputs({"arn": self.arn})


def entry_trust(trusted: str) -> str:
    """Trust policy (JSON) for roles by a pattern of their ARN, with the tags of their sessions.

    Those of Pod Identity go on to roles that are taken on with it:
    https://docs.aws.amazon.com/eks/latest/userguide/pod-id-abac.html
    """
    _, partition, _, _, account, _ = trusted.split(":", 5)
    return document(
        [
            {
                "Effect": "Allow",
                "Principal": {"AWS": f"arn:{partition}:iam::{account}:root"},
                "Action": ["sts:AssumeRole", "sts:TagSession"],
                "Condition": {"ArnLike": {"aws:PrincipalArn": trusted}},
            }
        ]
    )
