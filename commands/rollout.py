"""`moka rollout`: the stacks of an environment in the order in which a change reaches them."""

import json
import signal
import subprocess
from collections.abc import Sequence
from typing import Annotated

import typer

from commands.arguments import StackArgument
from stacks.settings import InvalidDocument
from stacks.stack_files import missing_files
from stacks.waves import stack_names

COMMAND_NOT_FOUND = 127
KILLED = 128
"""Exit statuses, as shells have them; to that of what was killed they add the number of the signal."""


def rollout(
    stack: StackArgument,
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="-- COMMAND", help="A command to run for each stack, {stack} being its name."),
    ] = None,
    wave: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only the stacks of this wave of the settings.")
    ] = None,
    down: Annotated[bool, typer.Option("--down", help="In the order in which stacks are destroyed.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the stacks as JSON.")] = False,
) -> None:
    """List stacks in rollout order, or run a command for each.

    A stack comes after those whose outputs it reads, and waves come one after the other. The first command
    that fails ends the rollout, and its exit status is that of the rollout.

    \b
    Examples:
      moka rollout prod                          its stacks, a line each
      moka rollout prod --wave canary --json     those of one wave, as JSON
      moka rollout prod -- pulumi up --stack {stack}
      moka rollout prod --down -- pulumi destroy --stack {stack}
    """
    try:
        stacks = stack_names(stack, wave, down=down)
    except InvalidDocument as error:
        typer.echo(error, err=True)
        raise typer.Exit(1) from None
    if not command:
        print(json.dumps(stacks) if as_json else "\n".join(stacks))
    elif missing := missing_files(stacks):
        paths = ", ".join(f"stacks/{path.name}" for path in missing)
        typer.echo(
            f"Missing Pulumi stack files: {paths}; `make stack-files STACK={stack}` writes them.", err=True
        )
        raise typer.Exit(1)
    else:
        raise typer.Exit(run(stacks, command))


def run(stacks: Sequence[str], command: Sequence[str]) -> int:
    """Run a command for each stack, put in place of `{stack}`; the exit status of the first that fails."""
    for index, stack in enumerate(stacks):
        if len(stacks) > 1:
            print(f"\n{stack}, {index + 1} of {len(stacks)}", flush=True)
        if status := _run([word.replace("{stack}", stack) for word in command]):
            if len(stacks) > 1:
                typer.echo(
                    f"{stack} failed. Done: {', '.join(stacks[:index]) or 'none'}. "
                    f"Left: {', '.join(stacks[index + 1 :]) or 'none'}. "
                    "Fix it and run this again: what is done stays as it is.",
                    err=True,
                )
            return status
    return 0


def _run(command: Sequence[str]) -> int:
    try:
        process = subprocess.Popen(command)
    except OSError as error:
        typer.echo(f"{command[0]} cannot be run: {error.strerror}.", err=True)
        return COMMAND_NOT_FOUND
    with process:
        while True:
            try:
                status = process.wait()
                break
            except KeyboardInterrupt:
                # The command had the same Ctrl-C, and ends what is under way.
                continue
    if status >= 0:
        return status
    typer.echo(
        f"`{' '.join(command[:2])}` was killed ({signal.Signals(-status).name}), by somebody or by the "
        "system for want of memory: it wrote down what it had done, but not what it was doing. Run this "
        "again to go on.",
        err=True,
    )
    return KILLED - status
