"""`moka changed`: the stacks whose previews a change touches."""

import json
from typing import Annotated

import typer

from delivery.affected_stacks import AffectedStack, affected_stacks, stacks_of
from delivery.git import GitError
from stacks.settings.reading import FOLDER, environments

SHOWN_FILES = 3


def changed(
    base: Annotated[
        str,
        typer.Argument(metavar="BASE", help="The branch or commit that the change is made to, such as main."),
    ],
    without: Annotated[
        list[str] | None, typer.Option(metavar="ENVIRONMENT", help="Leave the stacks of an environment out.")
    ] = None,
    why: Annotated[bool, typer.Option("--why", help="Print with each stack what touches it.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print them as JSON: stack and environment of each.")
    ] = False,
) -> None:
    """List the stacks whose previews a change touches.

    A stack is touched if its preview reads a file that differs from BASE: its settings, values of charts,
    modules, policies. Files that are not committed count. What a preview reads is seen as its program runs; a
    program that fails touches its stack.

    \b
    Examples:
      moka changed main
      moka changed origin/main --without local --json

    Exit status: 0 even if no stack is touched, 1 if it cannot be said.
    """
    try:
        stacks = [
            stack
            for environment in environments()
            if environment not in (without or ())
            for stack in stacks_of(environment)
        ]
        touched = affected_stacks(FOLDER.parent, stacks, base)
    except GitError as error:
        typer.echo(error, err=True)
        raise typer.Exit(1) from None
    if as_json:
        print(json.dumps([_data(stack, why=why) for stack in touched]))
    else:
        print(*(_line(stack, why=why) for stack in touched), sep="\n", end="\n" if touched else "")


def _data(touched: AffectedStack, *, why: bool) -> dict[str, object]:
    data: dict[str, object] = {"stack": touched.stack, "environment": touched.environment}
    return {**data, "why": touched.why} if why else data


def _line(touched: AffectedStack, *, why: bool) -> str:
    if not why:
        return touched.stack
    more = len(touched.why) - SHOWN_FILES
    return f"{touched.stack}: {', '.join(touched.why[:SHOWN_FILES])}" + (
        f" and {more} more" if more > 0 else ""
    )
