"""Profiles of the AWS configuration: with which role each further account of an environment is entered.

Providers and kubeconfigs name a profile and no role, so that a preview, which takes another role than `up`
does, shows nothing of it as a change.

Source: "Using an IAM role in the AWS CLI",
https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-role.html; the provider prefers a profile to
credentials in the environment (hashicorp/aws-sdk-go-base: aws_config.go), and so does the AWS CLI's
`--profile`.
"""

from accounts.names import AccountNames
from stacks.settings import Environment


def text(settings: Environment, *, preview: bool) -> str:
    """The profiles of an environment, as a file of AWS's configuration; empty where it needs none.

    preview: of the roles that read, else of those that deploy. Either is taken with credentials in the
    environment, which have to be those of the same role at home.
    """
    sections = {}
    for foundation in settings.foundations.values():
        if name := settings.profile(foundation):
            names = AccountNames(settings, foundation.account)
            # Whom the settings name deploys, bootstrapped or not.
            role = names.preview_role if preview else foundation.deployer
            sections[name] = (
                f"[profile {name}]\n"
                f"role_arn = {role}\n"
                f"role_session_name = {settings.prefix}\n"
                "credential_source = Environment\n"
                f"region = {foundation.region}\n"
            )
    return "\n".join(sections.values())
