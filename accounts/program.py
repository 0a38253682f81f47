"""What the accounts of an environment have before its first `up`, put together."""

from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from accounts.access import Access, AccessArgs
from accounts.names import AccountNames, StateNames
from accounts.state import State, StateArgs
from stacks.settings import Environment


@dataclass(frozen=True, kw_only=True)
class Options:
    """How it is made, besides the settings.

    role: taken in accounts that the credentials at hand are not of.
    access: roles of CI are made; otherwise only state and secrets provider.
    keep: state and key are protected.
    existing_providers: accounts whose identity provider for GitHub another environment has made.
    shared_providers: accounts whose identity provider stays when the roles go.
    """

    role: str
    access: bool = True
    keep: bool = True
    existing_providers: tuple[str, ...] = ()
    shared_providers: tuple[str, ...] = ()


def deploy(settings: Environment, options: Options) -> None:
    """Make state, secrets provider and, where CI is in the settings, the way in to every account."""
    state_names = StateNames(settings)
    home = state_names.foundation.account
    providers = {account: _provider(settings, account, home, options) for account in settings.accounts}
    state = State(
        # Names are part of the identity of what holds every stack: never rename it.
        "state",
        StateArgs(names=state_names, account=AccountNames(settings, home), keep=options.keep),
        pulumi.ResourceOptions(provider=providers[home]),
    )
    pulumi.export("bucket", state.bucket)
    pulumi.export("key", state.key_arn)
    if settings.ci is None or not options.access:
        return
    at_home: dict[str, pulumi.Input[str]] = {}
    for account in sorted(settings.accounts, key=lambda account: account != home):
        access = Access(
            account,
            AccessArgs(
                names=AccountNames(settings, account),
                repository=settings.ci.github,
                state_key=state.key_arn,
                provider=account not in options.existing_providers,
                keep_provider=account in options.shared_providers,
                home=at_home,
                people=settings.ci.people if account == home else (),
            ),
            pulumi.ResourceOptions(provider=providers[account]),
        )
        at_home = at_home or {"deploy": access.deploy, "preview": access.preview}
        pulumi.export(account, {"deploy": access.deploy, "preview": access.preview})


def _provider(settings: Environment, account: str, home: str, options: Options) -> aws.Provider:
    """AWS in an account; refuses any other."""
    names = AccountNames(settings, account)
    region = settings.foundations[settings.home_foundation].region if account == home else names.regions[0]
    role = f"arn:{names.partition}:iam::{account}:role/{options.role}"
    return aws.Provider(
        account,
        region=region,
        allowed_account_ids=[account],
        assume_roles=None
        if account == home
        else [aws.ProviderAssumeRoleArgs(role_arn=role, session_name="moka-bootstrap")],
        default_tags={"tags": settings.resource_tags},
    )
