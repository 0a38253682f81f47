"""Who may use the data of an environment: its own roles in all accounts, and those that its settings name."""

from collections.abc import Mapping

from moka.components.aws.bucket_access import BucketAccess, widest_access
from moka.components.aws.sharing import Roles, Sharing
from moka.names import Data, environment_prefix, role_path
from moka.partition import partition
from stacks.settings import Environment

GATHERED: Mapping[Data, BucketAccess] = {"event-logs": "log", "resource-usage": "add"}
"""What clusters of every account put into the buckets at home, and how; their recorders also read it."""


def gathered(settings: Environment, data: Data) -> BucketAccess | None:
    """How clusters of every account put data into a bucket at home; None where they do not."""
    if data == "resource-usage" and settings.services.usage_recorder is not None:
        return "record"
    return GATHERED.get(data)


def sharing(settings: Environment, foundation: str, data: Data) -> Sharing:
    """Who may use some data that a foundation keeps.

    An environment is known by the path of its roles, `/<organization>-<environment>/`: roles under such a
    path of any other environment are strangers, even in an account that both use.
    """
    place = settings.foundations[foundation]
    aws_partition = partition(place.region)
    environment_roles = [
        Roles(account_id=account, path=settings.role_path, partition=aws_partition)
        for account in settings.accounts
    ]
    grants: dict[Roles, BucketAccess] = {}
    if access := gathered(settings, data):
        grants |= {roles: access for roles in environment_roles if roles.account_id != place.account}
    home = settings.foundations[settings.home_foundation].account
    if data == "job-logs" and settings.archer and place.account != home:
        # Archer's service gives them to the owners of jobs.
        grants |= {roles: "read" for roles in environment_roles if roles.account_id == home}
    for grant in settings.grants.values():
        if data in grant.data:
            roles = Roles(
                account_id=grant.account,
                path=role_path(environment_prefix(settings.organization, grant.environment)),
                partition=aws_partition,
            )
            grants[roles] = widest_access([grant.access, grants.get(roles, grant.access)])
    return Sharing(
        grants=grants,
        denied=(f"arn:{aws_partition}:iam::*:role/{settings.organization}-*/*",),
        owners=(*(roles.arn_pattern for roles in environment_roles), place.deployer),
    )
