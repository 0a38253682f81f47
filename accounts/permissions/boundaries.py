"""Permissions boundaries: what roles can never do, whatever policies they are given.

Sources: "Permissions boundaries for IAM entities", IAM User Guide,
https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_boundaries.html, for delegating with them;
https://github.com/RhinoSecurityLabs/AWS-IAM-Privilege-Escalation for the ways around them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from accounts.names import AccountNames, StateNames
from accounts.permissions.grant import policy
from accounts.permissions.names import CHANGE_RECORD, READ_RECORD
from accounts.permissions.policies import KEY_USE
from accounts.permissions.registry import PULL
from moka.glue_actions import ACTIONS
from moka.login_secret import secret_arn
from moka.names import ARCHER, ENVIRONMENT_TAG
from stacks.settings.foundation import Foundation

DEPLOY_SERVICES = (
    *("acm", "aps", "autoscaling", "ec2", "ecr", "eks", "grafana", "iam", "kms", "logs", "rds", "s3"),
)

WORKLOAD_SERVICES = (
    "autoscaling",
    "cloudwatch",
    "ec2",
    "ecr",
    "eks",
    "eks-auth",
    "elasticloadbalancing",
    "kms",
    "logs",
    "s3",
)
"""Services that roles of the program use, and of AWS's policies on them those that the program needs."""

MASTER_SECRETS = ("secretsmanager:CreateSecret", "secretsmanager:TagResource")
"""What RDS asks of who makes a database whose password it manages:
https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/rds-secrets-manager.html"""

METRICS = ("aps:RemoteWrite", "aps:QueryMetrics", "aps:Get*")
"""What the gateway and a Grafana do with a workspace of Amazon Managed Prometheus."""

READS = (
    "acm:DescribeCertificate",
    "acm:ListTagsForCertificate",
    "aps:Describe*",
    "aps:ListTagsForResource",
    "autoscaling:Describe*",
    "ec2:Describe*",
    "ec2:GetSubnetCidrReservations",
    "ec2:GetTransitGatewayRouteTable*",
    "ecr:BatchGetImage",
    "ecr:Describe*",
    "ecr:Get*",
    "ecr:List*",
    "eks:Describe*",
    "eks:List*",
    "grafana:Describe*",
    "grafana:ListTagsForResource",
    "iam:Get*",
    "iam:List*",
    "kms:Describe*",
    "kms:Get*",
    "kms:List*",
    "logs:Describe*",
    "logs:List*",
    *READ_RECORD.split(),
    "rds:Describe*",
    "rds:List*",
    "s3:Get*",
    "s3:List*",
)
"""Actions that change nothing; what of them reads data is denied."""

WRITING_ROLES = (
    "iam:AttachRolePolicy",
    "iam:CreateRole",
    "iam:PutRolePermissionsBoundary",
    "iam:PutRolePolicy",
)
"""Actions that could give a role more than the boundary of workloads allows."""


def deploy_boundary(names: AccountNames, state_key: str) -> dict[str, Any]:
    """Boundary of the deploy role: it changes neither itself nor what the environment stands on."""
    state = StateNames(names.settings)
    other_accounts = [
        AccountNames(names.settings, account).deploy_role
        for account in names.settings.accounts
        if account != names.account
    ]
    own_roles = [
        names.workload_roles,
        f"arn:{names.partition}:iam::{names.account}:role/aws-service-role/*",
        names.node_group_role,
    ]
    return policy(
        [
            _allow("Services", [f"{service}:*" for service in DEPLOY_SERVICES]),
            _allow("PullSecrets", ["secretsmanager:GetSecretValue"]),
            _allow("MasterSecrets", MASTER_SECRETS),
            _allow("PrivateNames", ["route53:AssociateVPCWithHostedZone"]),
            _allow("Records", f"{CHANGE_RECORD} {READ_RECORD}".split()),
            *(
                [_allow("OtherAccounts", ["sts:AssumeRole"], other_accounts)]
                if other_accounts and names.home
                else []
            ),
            # Users, policies, identity providers, and roles elsewhere: itself among them.
            {"Sid": "OwnRolesOnly", "Effect": "Deny", "Action": "iam:*", "NotResource": own_roles},
            _deny("NoWayOut", ["iam:DeleteRolePermissionsBoundary"]),
            _deny(
                "BoundedRolesOnly",
                WRITING_ROLES,
                conditions={"StringNotEquals": {"iam:PermissionsBoundary": names.workload_boundary}},
            ),
            _deny_all_but("StateStays", ["s3:ListBucket"], [state.bucket_arn]),
            _deny("VersionsStay", ["s3:DeleteObjectVersion"], [f"{state.bucket_arn}/*"]),
            _deny_all_but("SecretsStay", KEY_USE, [state_key]),
            _other_environments(names),
        ]
    )


def preview_boundary(names: AccountNames, state_key: str) -> dict[str, Any]:
    """Boundary of the preview role: it changes nothing, and reads state but no data."""
    state = StateNames(names.settings)
    other_accounts = [
        AccountNames(names.settings, account).preview_role
        for account in names.settings.accounts
        if account != names.account
    ]
    data = [
        "s3:GetObject*",
        "logs:GetLogEvents",
        "logs:GetLogRecord",
        "logs:GetQueryResults",
        "ecr:GetDownload*",
    ]
    return policy(
        [
            _allow("Reads", READS),
            *(
                [_allow("State", ["kms:Decrypt"], [state_key])]
                + ([_allow("OtherAccounts", ["sts:AssumeRole"], other_accounts)] if other_accounts else [])
                if names.home
                else []
            ),
            {
                "Sid": "NoData",
                "Effect": "Deny",
                "Action": data,
                "NotResource": [f"{state.bucket_arn}/*", *names.chart_repositories],
            },
        ]
    )


def workload_boundary(names: AccountNames, state_key: str) -> dict[str, Any]:
    """Boundary of every role that `up` makes: what programs on clusters use, and no state."""
    state = StateNames(names.settings)
    login, workspace = names.settings.ingress.login, names.settings.metrics.workspace
    places = [place for place in names.settings.foundations.values() if place.account == names.account]
    secrets = [secret_arn(place.region, names.account, login.secret) for place in places] if login else []
    region_roles = f"arn:{names.partition}:iam::{names.account}:role/aws-service-role/*"
    return policy(
        [
            _allow("Services", [f"{service}:*" for service in WORKLOAD_SERVICES]),
            # The load balancer controller and Auto Scaling make the roles of AWS's services.
            _allow("ServiceLinkedRoles", ["iam:CreateServiceLinkedRole"], [region_roles]),
            *([_allow("Metrics", METRICS, [workspace])] if workspace else []),
            *([_allow("LoginSecret", ["secretsmanager:GetSecretValue"], secrets)] if secrets else []),
            *(_archer(names, places) if names.settings.archer else []),
            *_tables(names, places),
            _deny("NoState", ["s3:*"], [state.bucket_arn, f"{state.bucket_arn}/*"]),
            _deny("NoSecrets", ["kms:*"], [state_key]),
        ]
    )


def _archer(names: AccountNames, places: Sequence[Foundation]) -> list[dict[str, Any]]:
    """What Archer's programs use: their database, its first user's secret, and the roles into clusters."""
    start = [f"{names.partition}:{{}}:{place.region}:{names.account}" for place in places]
    clusters = [names.settings.archer_role(cluster) for cluster in names.settings.clusters]
    return [
        _allow(
            "Databases", ["rds-db:connect"], [f"arn:{s.format('rds-db')}:dbuser:*/{ARCHER}" for s in start]
        ),
        _allow(
            "MasterSecrets",
            ["secretsmanager:GetSecretValue"],
            [f"arn:{s.format('secretsmanager')}:secret:rds!cluster-*" for s in start],
        ),
        _allow("Clusters", ["sts:AssumeRole", "sts:TagSession"], clusters),
    ]


def _tables(names: AccountNames, places: Sequence[Foundation]) -> list[dict[str, Any]]:
    """What jobs do with tables in Glue, in the catalogs of the settings: which of it, their roles say."""
    catalogs = {
        f"arn:{names.partition}:glue:{glue.region or place.region}:{glue.account or names.account}:*"
        for metastore in names.settings.metastores.values()
        if (glue := metastore.glue)
        for place in places
    }
    return [_allow("Tables", ACTIONS["write"], sorted(catalogs))] if catalogs else []


def _other_environments(names: AccountNames) -> dict[str, Any]:
    """Nothing that has another environment's tag is touched: several may share an account.

    But charts, which come from the registry of one of them.
    """
    tag = f"aws:ResourceTag/{ENVIRONMENT_TAG}"
    return _deny_all_but(
        "OtherEnvironments",
        PULL.split(),
        ["*"],
        conditions={
            "StringNotEquals": {tag: names.settings.environment},
            "Null": {tag: "false"},
        },
    )


def _allow(sid: str, actions: Sequence[str], resources: Sequence[str] = ("*",)) -> dict[str, Any]:
    return {"Sid": sid, "Effect": "Allow", "Action": list(actions), "Resource": list(resources)}


def _deny(
    sid: str,
    actions: Sequence[str],
    resources: Sequence[str] = ("*",),
    *,
    conditions: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    condition = {"Condition": conditions} if conditions else {}
    denial = {"Sid": sid, "Effect": "Deny", "Action": list(actions), "Resource": list(resources)}
    return denial | condition


def _deny_all_but(
    sid: str,
    actions: Sequence[str],
    resources: Sequence[str],
    *,
    conditions: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    condition = {"Condition": conditions} if conditions else {}
    denial = {"Sid": sid, "Effect": "Deny", "NotAction": list(actions), "Resource": list(resources)}
    return denial | condition
