"""Where an environment's stacks are kept, and the key of their secrets."""

from dataclasses import dataclass, field

import pulumi

from accounts.names import AccountNames, StateNames
from moka.components.aws.bucket import Bucket, BucketArgs
from moka.components.aws.key import Key, KeyArgs
from moka.components.aws.sharing import Sharing

FORMER_DAYS = 365
"""Days that a former version of a stack can be brought back."""


@dataclass(frozen=True, kw_only=True)
class StateArgs:
    """What differs between environments.

    names: where it is. account: names in its account.
    keep: protect bucket and key; otherwise a destroy deletes them with all stacks.
    """

    names: StateNames
    account: AccountNames
    keep: bool = True
    tags: dict[str, str] = field(default_factory=dict)


class State(pulumi.ComponentResource):
    """Pulumi type `moka:accounts:State`.

    Makes: a Key for secrets and for the bucket, a Bucket that is versioned and locked. Roles of the
    environment's workloads are denied both, whatever their policies say.
    Outputs: `bucket`, name, known once it can be used; `key_arn`.
    """

    bucket: pulumi.Output[str]
    key_arn: pulumi.Output[str]

    def __init__(self, name: str, args: StateArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:accounts:State", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        foundation = args.names.foundation
        sharing = Sharing(denied=(args.account.workload_roles,))
        key = Key(
            name,
            KeyArgs(
                alias=args.names.key_alias,
                description=f"Pulumi's state of {args.account.settings.prefix}, and its secrets",
                account_id=foundation.account,
                region=foundation.region,
                sharing=sharing,
                retain=args.keep,
                tags=args.tags,
            ),
            child,
        )
        bucket = Bucket(
            name,
            BucketArgs(
                name=args.names.bucket,
                kms_key_arn=key.arn,
                versioned=True,
                noncurrent_days=FORMER_DAYS,
                locked=True,
                sharing=sharing,
                retain=args.keep,
                tags=args.tags,
            ),
            child,
        )
        self.bucket = bucket.name
        self.key_arn = key.arn
        self.register_outputs({"bucket": self.bucket, "key_arn": self.key_arn})
