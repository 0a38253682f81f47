"""Who may use data: identities told apart by their account and by the path of their roles."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from components.aws.bucket_access import Access


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
    def account(self) -> str:
        """ARN that stands for the whole account; whether a role may do it, its account decides too."""
        return f"arn:{self.partition}:iam::{self.account_id}:root"

    @property
    def arns(self) -> str:
        """Pattern of the roles' ARNs; a session of a role is known by its role's."""
        return f"arn:{self.partition}:iam::{self.account_id}:role{self.path}*"


@dataclass(frozen=True, kw_only=True)
class Sharing:
    """Who may use data, besides those whom the IAM policies of its account let in.

    let_in: roles -> what they may do.
    strangers: ARN patterns of roles that are kept out, whatever IAM policies say, when they are neither let
        in nor owners.
    owners: ARN patterns of roles on which IAM policies decide.
    """

    let_in: Mapping[Roles, Access] = field(default_factory=dict)
    strangers: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()


NOBODY = Sharing()
"""Those alone whom the IAM policies of the data's account let in."""


def statements(
    sharing: Sharing,
    actions: Mapping[Access, Sequence[str]],
    everything: str,
    resources: Sequence[str],
    conditions: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[dict[str, Any]]:
    """Statements of a resource's policy: who is let in, and that they and strangers get no further.

    An IAM policy is enough in the account that has the data, so the limits are denials.
    actions: of each access. everything: all actions of the service, as `s3:*`.
    conditions: of letting in, operator -> condition key -> value.
    """
    let_in, no_further = [], []
    for kind in sorted(set(sharing.let_in.values())):
        who = sorted(roles for roles, access in sharing.let_in.items() if access == kind)
        let_in.append(
            {
                "Sid": kind.capitalize(),
                "Effect": "Allow",
                "Principal": {"AWS": sorted({roles.account for roles in who})},
                "Action": sorted(actions[kind]),
                "Resource": list(resources),
                "Condition": {**(conditions or {}), "ArnLike": _by(roles.arns for roles in who)},
            }
        )
        no_further.append(
            {
                "Sid": f"{kind.capitalize()}AndNoMore",
                "Effect": "Deny",
                "Principal": "*",
                "NotAction": sorted(actions[kind]),
                "Resource": list(resources),
                "Condition": {"ArnLike": _by(roles.arns for roles in who)},
            }
        )
    known = [*sharing.owners, *(roles.arns for roles in sharing.let_in)]
    strangers = {
        "Sid": "Strangers",
        "Effect": "Deny",
        "Principal": "*",
        "Action": everything,
        "Resource": list(resources),
        "Condition": {"ArnLike": _by(sharing.strangers)} | ({"ArnNotLike": _by(known)} if known else {}),
    }
    return [*let_in, *no_further, *([strangers] if sharing.strangers else [])]


def _by(patterns: Iterable[str]) -> dict[str, list[str]]:
    return {"aws:PrincipalArn": sorted(set(patterns))}
