"""`moka profiles`: with which roles the further accounts of an environment are entered."""

from typing import Annotated

import typer

from commands.arguments import EnvironmentArgument
from stacks.settings import InvalidDocument, load


def profiles(
    environment: EnvironmentArgument,
    preview: Annotated[
        bool, typer.Option("--preview", help="Of the roles that only read, in place of those that deploy.")
    ] = False,
) -> None:
    """Print the AWS profiles by which further accounts are entered.

    One for each account that the settings of an environment enter by `assume`; nothing where there is none.
    Their roles are taken with the credentials in the environment (AWS_ACCESS_KEY_ID and so on). Keep them in
    a file, and name that in AWS_CONFIG_FILE.

    \b
    Examples:
      moka profiles prod --preview > .local/aws-config
      moka profiles prod > .local/aws-config

    Exit status: 0 printed, 1 the settings are wrong.
    """
    from accounts import profiles

    try:
        settings = load(environment)
    except InvalidDocument as error:
        typer.echo(error, err=True)
        raise typer.Exit(1) from None
    print(profiles.text(settings, preview=preview), end="")
