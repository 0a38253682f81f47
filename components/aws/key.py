"""KMS keys: rotated, named by an alias, used by those that their policy names."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_aws as aws

from components.aws.policy import document

# How a service shows whose data it has the key for: condition operator, key and value.
WHOSE = {
    "logs": ("ArnLike", "kms:EncryptionContext:aws:logs:arn", "arn:aws:logs:*:{account}:*"),
}
WHOSE_BY_DEFAULT = ("StringEquals", "aws:SourceAccount", "{account}")

USE = ["kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey*", "kms:ReEncrypt*"]


@dataclass(frozen=True, kw_only=True)
class KeyArgs:
    """What differs between keys.

    alias: name of the key, unique in its account and region, without `alias/`.
    description: what the key protects.
    account_id: account of the key; its IAM policies decide who administers and uses it.
    services: AWS services that use it on their own, for example `logs.us-east-1.amazonaws.com`.
    users: ARNs of principals that use it without an IAM policy of their own, as service-linked roles do.
    deletion_days: days (7 to 30) between letting go of the key and its end.
    retain: keep the key when the stack lets go of it.
    """

    alias: str
    description: str
    account_id: str
    services: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    deletion_days: int = 30
    retain: bool = True
    tags: dict[str, str] = field(default_factory=dict)


class Key(pulumi.ComponentResource):
    """Pulumi type `moka:aws:Key`.

    Makes: kms.Key, kms.Alias.
    Outputs: `arn`, `key_id`.
    """

    arn: pulumi.Output[str]
    key_id: pulumi.Output[str]

    def __init__(self, name: str, args: KeyArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:aws:Key", name, {}, opts)

        # What this key encrypted is lost with it: never rename it.
        key = aws.kms.Key(
            name,
            description=args.description,
            enable_key_rotation=True,
            deletion_window_in_days=args.deletion_days,
            policy=key_policy(args.account_id, args.services, args.users),
            tags=args.tags,
            opts=pulumi.ResourceOptions(parent=self, protect=args.retain, retain_on_delete=args.retain),
        )
        aws.kms.Alias(
            name,
            name=f"alias/{args.alias}",
            target_key_id=key.key_id,
            opts=pulumi.ResourceOptions(parent=self),
        )

        self.arn = key.arn
        self.key_id = key.key_id
        self.register_outputs({"arn": self.arn, "key_id": self.key_id})


def key_policy(account_id: str, services: Sequence[str] = (), users: Sequence[str] = ()) -> str:
    """Key policy (JSON): the account's IAM policies decide; services and users are let in one by one."""
    account = {
        "Sid": "Account",
        "Effect": "Allow",
        "Principal": {"AWS": f"arn:aws:iam::{account_id}:root"},
        "Action": "kms:*",
        "Resource": "*",
    }
    by_users = {
        "Sid": "Users",
        "Effect": "Allow",
        "Principal": {"AWS": sorted(users)},
        "Action": USE,
        "Resource": "*",
    }
    # A volume outlives the call that made it: its key is used under a grant, given to an AWS service only.
    grants = {
        "Sid": "Grants",
        "Effect": "Allow",
        "Principal": {"AWS": sorted(users)},
        "Action": "kms:CreateGrant",
        "Resource": "*",
        "Condition": {"Bool": {"kms:GrantIsForAWSResource": "true"}},
    }
    return document(
        [
            account,
            *(_by_service(service, account_id) for service in sorted(services)),
            *([by_users, grants] if users else []),
        ]
    )


def _by_service(service: str, account_id: str) -> dict[str, Any]:
    name = service.partition(".")[0]
    operator, key, value = WHOSE.get(name, WHOSE_BY_DEFAULT)
    return {
        "Sid": f"Service{name.capitalize()}",
        "Effect": "Allow",
        "Principal": {"Service": service},
        "Action": USE,
        "Resource": "*",
        "Condition": {operator: {key: value.format(account=account_id)}},
    }
