"""Who somebody is to the API server: what an access entry makes of a principal of IAM."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aws_rules.rule import Rule, Violation

IDENTITIES = Rule(
    name="access-entry-identity",
    authority="EKS",
    decides="who is let in: principals with an access entry, with its user name and its groups",
    source="https://docs.aws.amazon.com/eks/latest/userguide/creating-access-entries.html",
)

NODES = "system:nodes"
"""Group of machines."""

USERNAMES: Mapping[str, str] = {
    "EC2": "system:node:{{EC2PrivateDNSName}}",
    "EC2_LINUX": "system:node:{{EC2PrivateDNSName}}",
    "EC2_WINDOWS": "system:node:{{EC2PrivateDNSName}}",
    "FARGATE_LINUX": "system:node:{{SessionName}}",
    "HYBRID_LINUX": "system:node:{{SessionName}}",
}
"""User names that EKS gives to entries of other types than STANDARD (the table of the rule's source)."""

MACHINES = ("EC2", "EC2_LINUX", "EC2_WINDOWS")
"""Types of the entries of machines of EC2."""

PRINCIPAL = "canonicalArn"
"""Extra attribute of a user that has the principal's ARN, in audit logs too (kubernetes-sigs/
aws-iam-authenticator: pkg/server/server.go); access policies go by it, so impersonation loses them."""


@dataclass(frozen=True)
class User:
    """A user as a TokenReview shows them."""

    name: str
    groups: tuple[str, ...]
    extra: Mapping[str, tuple[str, ...]]


def default_username(principal: str, type: str = "STANDARD") -> str:
    """The user name of an entry that names none."""
    if type in USERNAMES:
        return USERNAMES[type]
    return session_arn(principal, "{{SessionName}}")


def user(entry: Mapping[str, Any], session: str) -> User:
    """Who a principal is that signs in in a session; `entry` as EKS describes it.

    session: its name, of a role; empty for a user.
    """
    principal = entry["principalArn"]
    # "the special character "@" is replaced with "-" in the session name", in one of the two.
    username = (
        entry["username"]
        .replace("{{SessionNameRaw}}", session)
        .replace("{{SessionName}}", session.replace("@", "-"))
    )
    extra = {"arn": (session_arn(principal, session),), PRINCIPAL: (principal,), "sessionName": (session,)}
    return User(username, tuple(entry.get("kubernetesGroups") or ()), extra)


def unauthorized(cluster: str, principal: str) -> Violation:
    """What EKS and its clients say of somebody whom no access entry lets in.

    principal: its ARN; empty where nobody knows.
    """
    return Violation(
        rule=IDENTITIES,
        resource=f"cluster {cluster}",
        code="Unauthorized",
        message="the server has asked for the client to provide credentials",
        remedy=f"give {principal or 'whoever signs in here'} an access entry on the cluster, or deploy as "
        "somebody who has one",
    )


def session_arn(principal: str, session: str) -> str:
    """ARN by which STS knows a principal: that of a role's session, without the role's path; a user's own."""
    _, partition, _, _, account, rest = principal.split(":", 5)
    if not rest.startswith("role/"):
        return principal
    return f"arn:{partition}:sts::{account}:assumed-role/{rest.rpartition('/')[2]}/{session}"
