"""`moka preview`: a preview of a stack in files, for `moka report` and for reviewers."""

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from delivery import preview as previews
from stacks.settings import InvalidDocument
from stacks.stack_files import missing_files
from stacks.waves import stack_names

NOTABLE = 1
"""Exit status of `moka report` where something is to be looked at; above it, nobody should go on."""


def preview(
    stack: Annotated[str, typer.Argument(metavar="STACK", help="A stack: dev, prod.shared.")],
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="-- COMMAND",
            help="What prints the engine's events, {stack} being the stack's name; by default "
            f"`{' '.join(previews.WITH_POLICIES)}`.",
        ),
    ] = None,
    to: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the files go.")] = Path(".local/previews"),
) -> None:
    """Preview a stack with the policy pack, into files.

    FOLDER/STACK.json has the engine's events, and FOLDER/STACK.md what `moka report` makes of them, or why
    the preview failed. For a person to watch there is `make preview`.

    \b
    Examples:
      moka preview prod.shared
      moka preview dev --to previews -- pulumi preview --stack {stack} --json --non-interactive

    Exit status: that of the preview, or of `moka report` where it says to stop; 1 also where the preview has
    no end, or there is no such stack.
    """
    try:
        stacks = stack_names(stack)
    except InvalidDocument as error:
        _fail(str(error))
    if stacks != [stack]:
        _fail(f"{stack} has several stacks: name one of {', '.join(stacks)}.")
    if missing_files(stacks):
        _fail(f"stacks/Pulumi.{stack}.yaml is missing; `make stack-files STACK={stack}` writes it.")
    events, markdown = to / f"{stack}.json", to / f"{stack}.md"
    markdown.unlink(missing_ok=True)
    result = previews.run(stack, command or previews.WITH_POLICIES, lambda line: typer.echo(line, err=True))
    previews.write(events, result.events)
    for message in result.messages:
        typer.echo(message, err=True)
    print(events)
    status = _report(events, markdown)
    if not markdown.exists():
        markdown.write_text(previews.as_markdown(stack, result))
    print(markdown)
    if result.status == 0 and not result.complete:
        _fail(f"The preview of {stack} has no end: nothing is known of what `up` would do.")
    raise typer.Exit(result.status or status)


def _report(events: Path, markdown: Path) -> int:
    """Have the report of a preview written; its exit status where that ends a preview, else 0."""
    command = [sys.executable, "-m", "commands", "report", str(events), "--markdown", str(markdown)]
    status = subprocess.run(command, stdout=subprocess.DEVNULL).returncode
    if not markdown.exists():
        return status or 1
    return status if status > NOTABLE else 0


def _fail(sentence: str) -> None:
    typer.echo(sentence, err=True)
    raise typer.Exit(1)
