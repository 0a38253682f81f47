"""`moka preview`: a preview of a stack in files, for `moka report` and for reviewers."""

from pathlib import Path
from typing import Annotated

import typer

from delivery import preview as previews
from previews import UnreadablePreview
from stacks.settings import InvalidDocument
from stacks.stack_files import missing_files
from stacks.waves import stack_names

NOTABLE = 1
"""Exit status of `moka report` where something is to be looked at; above it, nobody should go on."""

NO_REPORT = 1


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

    FOLDER/STACK.json has the engine's events, FOLDER/STACK.md what `moka report` makes of them, or why
    the preview failed, and FOLDER/STACK.svg a drawing, where something changes. For a person to watch there
    is `make preview`.

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
    events, markdown, svg = (to / f"{stack}.{ending}" for ending in ("json", "md", "svg"))
    for old in (markdown, svg):
        old.unlink(missing_ok=True)
    result = previews.run(stack, command or previews.WITH_POLICIES, lambda line: typer.echo(line, err=True))
    previews.write(events, result.events)
    for problem in result.problems:
        typer.echo(problem, err=True)
    status = _report(result, markdown, svg)
    print(*(path for path in (events, markdown, svg) if path.exists()), sep="\n")
    raise typer.Exit(result.status or status)


def _report(run: previews.Run, markdown: Path, svg: Path) -> int:
    """Write the report on a preview, or why there is none; the exit status where that is an end, else 0."""
    from commands.report import STATUSES
    from commands.reviewing import review_of
    from moka.prices import InvalidPrices

    try:
        report = review_of(run.preview, f"The preview of {run.stack}").write(markdown, svg).report
    except (UnreadablePreview, InvalidPrices) as error:
        if not run.problems:
            typer.echo(error, err=True)
        previews.write(markdown, previews.as_markdown(run, run.problems or [str(error)]))
        return NO_REPORT
    return STATUSES[report.weight] if STATUSES[report.weight] > NOTABLE else 0


def _fail(sentence: str) -> None:
    typer.echo(sentence, err=True)
    raise typer.Exit(1)
