"""KMS keys: rotated, named by an alias, used by those that their policy names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_aws as aws

from moka.components.aws.bucket_access import ACTIONS, BucketAccess
from moka.components.aws.policy import document
from moka.components.aws.sharing import PRIVATE, Sharing, sharing_statements
from moka.partition import domain, partition

# How a service shows whose data it has the key for: condition operator, key and value.
OWNER_CONDITIONS = {
    "logs": ("ArnLike", "kms:EncryptionContext:aws:logs:arn", "arn:{partition}:logs:*:{account}:*"),
}
DEFAULT_OWNER_CONDITION = ("StringEquals", "aws:SourceAccount", "{account}")

USE_ACTIONS = ["kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey*", "kms:ReEncrypt*"]

KMS_ACTIONS: Mapping[BucketAccess, tuple[str, ...]] = {
    access: actions.key for access, actions in ACTIONS.items()
}
"""KMS actions of each access to data that the key encrypts."""


@dataclass(frozen=True, kw_only=True)
class KeyArgs:
    """What differs between keys.

    alias: name of the key, unique in its account and region, without `alias/`.
    description: what the key protects.
    account_id: account of the key; its IAM policies decide who administers and uses it.
    services: AWS services that use it on their own, for example `logs.us-east-1.amazonaws.com`.
    users: ARNs of roles of the account that use it without an IAM policy of their own, as service-linked
        roles do; they need not exist yet.
    sharing: who else may use it for data in S3, and who never may use it at all.
    region: region of the key.
    deletion_days: days (7 to 30) between the removal of the key and its end.
    retain: keep the key when it is removed from the stack.
    tags: of every AWS resource that is made here.
    """

    alias: str
    description: str
    account_id: str
    region: str
    services: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    sharing: Sharing = PRIVATE
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
            policy=key_policy(args.account_id, args.region, args.services, args.users, args.sharing),
            tags=args.tags,
            opts=pulumi.ResourceOptions(parent=self, protect=args.retain, retain_on_delete=args.retain),
        )
        aws.kms.Alias(
            name,
            name=f"alias/{args.alias}",
            target_key_id=key.key_id,
            opts=pulumi.ResourceOptions(parent=self, retain_on_delete=args.retain),
        )

        self.arn = key.arn
        self.key_id = key.key_id
        self.register_outputs({"arn": self.arn, "key_id": self.key_id})


def key_policy(
    account_id: str,
    region: str,
    services: Sequence[str] = (),
    users: Sequence[str] = (),
    sharing: Sharing = PRIVATE,
) -> str:
    """Key policy (JSON): the account's IAM policies decide, but for those denied; others are named."""
    account_grant = {
        "Sid": "Account",
        "Effect": "Allow",
        "Principal": {"AWS": f"arn:{partition(region)}:iam::{account_id}:root"},
        "Action": "kms:*",
        "Resource": "*",
    }
    # Users by condition: KMS refuses a policy with a principal that does not exist, and service-linked roles
    # come to be with the first thing that needs them.
    user_condition = {
        "StringEquals": {"kms:CallerAccount": account_id},
        "ArnEquals": {"aws:PrincipalArn": sorted(users)},
    }
    users_grant = {
        "Sid": "Users",
        "Effect": "Allow",
        "Principal": {"AWS": "*"},
        "Action": USE_ACTIONS,
        "Resource": "*",
        "Condition": user_condition,
    }
    # A volume outlives the call that made it: its key is used under a grant, given to an AWS service only.
    volume_grants = {
        "Sid": "Grants",
        "Effect": "Allow",
        "Principal": {"AWS": "*"},
        "Action": "kms:CreateGrant",
        "Resource": "*",
        "Condition": {**user_condition, "Bool": {"kms:GrantIsForAWSResource": "true"}},
    }
    through_s3 = {"StringEquals": {"kms:ViaService": f"s3.{region}.{domain(region)}"}}
    return document(
        [
            account_grant,
            *(_service_grant(service, account_id, region) for service in sorted(services)),
            *([users_grant, volume_grants] if users else []),
            *sharing_statements(sharing, KMS_ACTIONS, "kms:*", ["*"], through_s3),
        ]
    )


def _service_grant(service: str, account_id: str, region: str) -> dict[str, Any]:
    name = service.partition(".")[0]
    operator, key, value = OWNER_CONDITIONS.get(name, DEFAULT_OWNER_CONDITION)
    return {
        "Sid": f"Service{name.capitalize()}",
        "Effect": "Allow",
        "Principal": {"Service": service},
        "Action": USE_ACTIONS,
        "Resource": "*",
        "Condition": {operator: {key: value.format(partition=partition(region), account=account_id)}},
    }
