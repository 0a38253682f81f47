"""`moka package`: this checkout as wheels."""

from pathlib import Path
from typing import Annotated

import typer

from commands.distributions import BuildFailed, build_wheels


def package(
    to: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the wheels go.")] = Path(".local/dist"),
) -> None:
    """Build the wheels of this checkout, and print their paths.

    moka-eks has the domain and the components, moka-eks-platform what deploys environments, moka-laptop-cloud
    the laptop cloud (docs/package.md).

    \b
    Example:
      moka package --to ~/wheels
    """
    try:
        for wheel in build_wheels(to):
            print(wheel)
    except BuildFailed as error:
        typer.echo(error, err=True)
        raise typer.Exit(1) from None
