"""`moka drift`: what of an environment is not as it was deployed."""

import json
from pathlib import Path
from typing import Annotated

import typer

from commands.arguments import StackArgument
from delivery import drift as drifts
from delivery import preview
from stacks.settings import InvalidDocument
from stacks.waves import stack_names

EXIT_STATUS: dict[drifts.Status, int] = {"none": 0, "drift": 1, "unknown": 2}


def drift(
    stack: StackArgument,
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="-- COMMAND",
            help="What prints the engine's events, {stack} being the stack's name; by default "
            f"`{' '.join(drifts.COMMAND)}`.",
        ),
    ] = None,
    to: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write what was found to a file, as JSON.")
    ] = None,
) -> None:
    """Find what is not as it was deployed.

    Every resource is asked for and compared with the stack's state. Nothing is changed or locked. What is
    merged and not deployed yet is no drift.

    \b
    Examples:
      moka drift prod
      moka drift prod --to drift/prod.json

    Exit status: 0 no drift, 1 drift, 2 not known of every stack.
    """
    environment = stack.partition(".")[0]
    try:
        stacks = stack_names(stack)
    except InvalidDocument as error:
        typer.echo(error, err=True)
        raise typer.Exit(EXIT_STATUS["unknown"]) from None
    outcome = [
        drifts.stack_drift(
            preview.run(name, command or drifts.COMMAND, lambda line: typer.echo(line, err=True))
        )
        for name in stacks
    ]
    if to:
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(json.dumps(drifts.as_data(environment, outcome), indent=2) + "\n")
    print(drifts.text(environment, outcome))
    raise typer.Exit(EXIT_STATUS[drifts.status(outcome)])
