"""A workspace of Amazon Managed Grafana: it asks one workspace of Amazon Managed Prometheus, nothing else."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import pulumi
import pulumi_aws as aws

from moka.components.aws.policy import Statement, permit, trust

QUERIES = ("aps:QueryMetrics", "aps:GetLabels", "aps:GetSeries", "aps:GetMetricMetadata")
"""Of those that AWS's own policy for it has, all but the two that look for workspaces:
https://docs.aws.amazon.com/grafana/latest/userguide/AMG-manage-permissions.html"""


def query_statement(workspace_arn: str) -> Statement:
    """Ask a workspace of Amazon Managed Prometheus, and write nothing."""
    return Statement(sid="Queries", actions=QUERIES, resources=[workspace_arn])


@dataclass(frozen=True, kw_only=True)
class ManagedGrafanaArgs:
    """What differs between environments.

    workspace_arn: of the Amazon Managed Prometheus that it asks; in the same account.
    account: AWS account id of both.
    sign_in: how people are known: IAM Identity Center, or a SAML provider that is set up by hand.
    prefix_lists, vpc_endpoints: from where it is reached; from nowhere else.
    path: of its role.
    permissions_boundary_arn: policy that bounds whatever else the role is ever given.
    tags: of every AWS resource that is made here.
    """

    workspace_arn: str
    account: str
    sign_in: Literal["AWS_SSO", "SAML"]
    prefix_lists: Sequence[str] = ()
    vpc_endpoints: Sequence[str] = ()
    path: str = "/"
    permissions_boundary_arn: str | None = None
    tags: dict[str, str] = field(default_factory=dict)


class ManagedGrafana(pulumi.ComponentResource):
    """Pulumi type `moka:aws:ManagedGrafana`.

    Makes: iam.Role with its RolePolicy, grafana.Workspace.
    Outputs: `url`, as people reach it.
    """

    url: pulumi.Output[str]

    def __init__(
        self, name: str, args: ManagedGrafanaArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("moka:aws:ManagedGrafana", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)

        role = aws.iam.Role(
            name,
            path=args.path,
            description="Amazon Managed Grafana, to ask for metrics",
            assume_role_policy=grafana_trust(args.account),
            permissions_boundary=args.permissions_boundary_arn,
            tags=args.tags,
            opts=child,
        )
        role_arn = permit(name, role, child, statements=[query_statement(args.workspace_arn)])
        workspace = aws.grafana.Workspace(
            name,
            account_access_type="CURRENT_ACCOUNT",
            authentication_providers=[args.sign_in],
            # Its role is ours: service-managed permissions would reach every workspace of the account.
            permission_type="CUSTOMER_MANAGED",
            role_arn=role_arn,
            data_sources=["PROMETHEUS"],
            # Without it, all of the internet reaches its page of login:
            # https://docs.aws.amazon.com/grafana/latest/APIReference/API_NetworkAccessConfiguration.html
            network_access_control=aws.grafana.WorkspaceNetworkAccessControlArgs(
                prefix_list_ids=list(args.prefix_lists), vpce_ids=list(args.vpc_endpoints)
            ),
            tags=args.tags,
            opts=child,
        )
        self.url = pulumi.Output.concat("https://", workspace.endpoint)
        self.register_outputs({"url": self.url})


def grafana_trust(account: str) -> str:
    """Trust policy (JSON) for workspaces of this account only."""
    return trust("grafana.amazonaws.com", {"StringEquals": {"aws:SourceAccount": account}})
