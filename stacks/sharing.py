"""Who may use the data of an environment: itself in all its accounts, and whom its settings grant it."""

from collections.abc import Iterable, Mapping

from components.aws.bucket_access import Access
from components.aws.sharing import Roles, Sharing
from moka.partition import partition
from stacks.settings import Environment
from stacks.settings.environment import Data

GATHERED: Mapping[Data, Access] = {"event-logs": "log", "resource-usage": "add"}
"""What clusters of every account put into the buckets at home, and how."""


def sharing(settings: Environment, foundation: str, data: Data) -> Sharing:
    """Who may use some data that a foundation keeps.

    An environment is known by the path of its roles, `/<organization>-<environment>/`: roles under such a
    path of any other environment are strangers, even in an account that both use.
    """
    place = settings.foundations[foundation]
    its = partition(place.region)
    ours = [
        Roles(account_id=account, path=settings.role_path, partition=its) for account in settings.accounts
    ]
    let_in: dict[Roles, Access] = {}
    if data in GATHERED:
        let_in |= {roles: GATHERED[data] for roles in ours if roles.account_id != place.account}
    for grant in settings.grants.values():
        if data in grant.data:
            who = Roles(
                account_id=grant.account,
                path=f"/{settings.organization}-{grant.environment}/",
                partition=its,
            )
            let_in[who] = widest([grant.access, let_in.get(who, grant.access)])
    return Sharing(
        let_in=let_in,
        strangers=(f"arn:{its}:iam::*:role/{settings.organization}-*/*",),
        owners=(*(roles.arns for roles in ours), place.deployer),
    )


def united(each: Iterable[Sharing]) -> Sharing:
    """Who may use any of several data: as a key must know it that encrypts them all."""
    together = list(each)
    let_in: dict[Roles, Access] = {}
    for roles, access in (pair for one in together for pair in one.let_in.items()):
        let_in[roles] = widest([access, let_in.get(roles, access)])
    return Sharing(
        let_in=let_in,
        strangers=tuple(sorted({pattern for one in together for pattern in one.strangers})),
        owners=tuple(sorted({pattern for one in together for pattern in one.owners})),
    )


def widest(accesses: Iterable[Access]) -> Access:
    """The access that allows most to do with a key."""
    order: list[Access] = ["read", "add", "log", "write"]
    return max(accesses, key=order.index)
