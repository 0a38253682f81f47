"""Policies of the deploy role and of the preview role, as they follow from the table."""

from collections.abc import Iterable, Mapping
from typing import Any

from accounts.names import AccountNames, StateNames
from accounts.permissions.grant import Grant, policy
from accounts.permissions.scopes import grants
from accounts.permissions.table import rows_of

SUBJECTS: Mapping[str, tuple[str, ...]] = {
    "network": ("ec2", "route53", "acm"),
    "data": ("s3", "kms", "logs", "secretsmanager"),
    "databases": ("rds",),
    "clusters": ("eks", "autoscaling"),
    "identity": ("iam",),
    "registry": ("ecr",),
    "metrics": ("aps", "grafana"),
    "state": ("state",),
}
"""Policy of the deploy role -> services: a policy each, as none may be longer than 6,144 characters."""

READ_APART = ("rds", "acm", "aps", "grafana")
"""Services that are in a policy of their own of the preview role, for its size."""

KEY_USE = ("kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey")

NO_PREVIEW = frozenset({"secretsmanager:GetSecretValue"})
"""Actions of reading that a preview can do without."""


def deploy_grants(names: AccountNames, foundations: Iterable[str] | None = None) -> list[Grant]:
    """What deploying takes in an account: of its foundations, or of some of them."""
    rows = rows_of(names.settings, names.foundations if foundations is None else foundations)
    retain = names.settings.retain
    return grants(names, {action for row in rows for action in row.actions(retain=retain)})


def deploy_policies(names: AccountNames, state_key: str) -> dict[str, dict[str, Any]]:
    """Policies of the deploy role of an account, by subject; state_key: ARN."""
    deploying = deploy_grants(names)
    documents = {}
    for subject, services in SUBJECTS.items():
        statements = [
            grant.statement() for grant in deploying if grant.actions[0].partition(":")[0] in services
        ]
        if subject == "state" and names.home:
            statements += _state(names, state_key, write=True)
        if statements:
            documents[subject] = policy(statements)
    return documents


def preview_policies(names: AccountNames, state_key: str) -> dict[str, dict[str, Any]]:
    """Policies of the preview role of an account: it reads what a preview reads, and no data."""
    rows = rows_of(names.settings, names.foundations)
    reads = {action for row in rows for action in row.reads} - NO_PREVIEW
    documents: dict[str, list[dict[str, Any]]] = {"read": [], "read-services": []}
    for grant in grants(names, reads):
        apart = grant.actions[0].partition(":")[0] in READ_APART
        documents["read-services" if apart else "read"].append(grant.statement())
    if names.home:
        documents["read"] += _state(names, state_key, write=False)
    return {subject: policy(statements) for subject, statements in documents.items() if statements}


def _state(names: AccountNames, state_key: str, *, write: bool) -> list[dict[str, Any]]:
    """Use of the state at home, and of the same role in the other accounts of the environment.

    A preview takes no lock (pulumi/pulumi: pkg/backend/diy/backend.go, Preview), so it writes nothing.
    """
    state = StateNames(names.settings)
    other_names = [
        AccountNames(names.settings, account)
        for account in names.settings.accounts
        if account != names.account
    ]
    roles = tuple(account.deploy_role if write else account.preview_role for account in other_names)
    use = [
        Grant(sid="FindState", actions=("s3:ListBucket",), resources=(state.bucket_arn,)),
        Grant(
            sid="State",
            actions=("s3:DeleteObject", "s3:GetObject", "s3:PutObject") if write else ("s3:GetObject",),
            resources=(f"{state.bucket_arn}/*",),
        ),
        Grant(
            sid="Secrets",
            actions=KEY_USE if write else ("kms:Decrypt", "kms:DescribeKey"),
            resources=(state_key,),
        ),
        *([Grant(sid="OtherAccounts", actions=("sts:AssumeRole",), resources=roles)] if roles else []),
    ]
    return [grant.statement() for grant in use]
