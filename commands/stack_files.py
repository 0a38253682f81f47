"""`moka stack-files`: Pulumi's own file for each stack that lacks one."""

import typer

from commands.arguments import StackArgument
from stacks.settings import InvalidDocument
from stacks.stack_files import missing_files, write_file
from stacks.waves import stack_names


def stack_files(stack: StackArgument) -> None:
    """Write the Pulumi stack files that are missing.

    stacks/Pulumi.<stack>.yaml holds a stack's environment and slice. A file that exists stays as it is.
    Commit what is written.

    \b
    Example:
      moka stack-files prod
    """
    try:
        stacks = stack_names(stack)
    except InvalidDocument as error:
        typer.echo(error, err=True)
        raise typer.Exit(1) from None
    for path in missing_files(stacks):
        write_file(path)
        print(f"stacks/{path.name}")
