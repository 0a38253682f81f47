"""Who may use data: identities are known by their account and by the path of their roles."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from moka.components.aws.bucket_access import BucketAccess, widest_access


@dataclass(frozen=True, order=True, kw_only=True)
class Roles:
    """All IAM roles under one path of an account.

    account_id: AWS account id.
    path: with a slash at both ends, for example `/acme-prod/`.
    partition: of the account.
    """

    account_id: str
    path: str
    partition: str = "aws"

    @property
    def account_arn(self) -> str:
        """ARN that stands for the whole account, whose IAM policies decide too what a role may do."""
        return f"arn:{self.partition}:iam::{self.account_id}:root"

    @property
    def arn_pattern(self) -> str:
        """Pattern of the roles' ARNs; a session of a role is known by its role's."""
        return f"arn:{self.partition}:iam::{self.account_id}:role{self.path}*"


@dataclass(frozen=True, kw_only=True)
class Sharing:
    """Who may use data, besides identities of its account that IAM policies allow to.

    grants: roles -> what they may do.
    denied: ARN patterns of roles that are denied everything, whatever IAM policies say, unless they are among
        grants or owners.
    owners: ARN patterns of roles on which IAM policies decide.
    """

    grants: Mapping[Roles, BucketAccess] = field(default_factory=dict)
    denied: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()

    @classmethod
    def union(cls, sharings: Iterable[Self]) -> Self:
        """Who may use any of several data: as a key must know it that encrypts them all."""
        grants: dict[Roles, BucketAccess] = {}
        denied, owners = set[str](), set[str]()
        for sharing in sharings:
            for roles, access in sharing.grants.items():
                grants[roles] = widest_access([access, grants.get(roles, access)])
            denied.update(sharing.denied)
            owners.update(sharing.owners)
        return cls(grants=grants, denied=tuple(sorted(denied)), owners=tuple(sorted(owners)))


PRIVATE = Sharing()
"""Only the IAM policies of the data's account decide who may use it."""


def sharing_statements(
    sharing: Sharing,
    actions: Mapping[BucketAccess, Sequence[str]],
    all_actions: str,
    resources: Sequence[str],
    conditions: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[dict[str, Any]]:
    """Statements of a resource's policy: grants, and denials of all else to these roles and to the denied.

    An IAM policy is enough in the account that has the data, so the limits are denials.
    actions: of each access. all_actions: pattern of all actions of the service, as `s3:*`.
    conditions: of the grants, operator -> condition key -> value.
    """
    grants, limits = [], []
    for access in sorted(set(sharing.grants.values())):
        roles = sorted(roles for roles, grant in sharing.grants.items() if grant == access)
        principals = _principals(role.arn_pattern for role in roles)
        grants.append(
            {
                "Sid": access.capitalize(),
                "Effect": "Allow",
                "Principal": {"AWS": sorted({role.account_arn for role in roles})},
                "Action": sorted(actions[access]),
                "Resource": list(resources),
                "Condition": {**(conditions or {}), "ArnLike": principals},
            }
        )
        limits.append(
            {
                # A Sid is an input of policies that are deployed: the others keep theirs.
                "Sid": f"DenyBeyond{access.capitalize()}",
                "Effect": "Deny",
                "Principal": "*",
                "NotAction": sorted(actions[access]),
                "Resource": list(resources),
                "Condition": {"ArnLike": principals},
            }
        )
    if not sharing.denied:
        return [*grants, *limits]
    exempt = [*sharing.owners, *(roles.arn_pattern for roles in sharing.grants)]
    denial = {
        "Sid": "DenyOtherEnvironments",
        "Effect": "Deny",
        "Principal": "*",
        "Action": all_actions,
        "Resource": list(resources),
        "Condition": {"ArnLike": _principals(sharing.denied)}
        | ({"ArnNotLike": _principals(exempt)} if exempt else {}),
    }
    return [*grants, *limits, denial]


def _principals(patterns: Iterable[str]) -> dict[str, list[str]]:
    return {"aws:PrincipalArn": sorted(set(patterns))}
