"""`moka draw`: a picture of an environment, or of one of its stacks, and of what previews change there."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from commands.arguments import StackArgument
from drawing import preview
from drawing.as_svg import as_svg
from drawing.as_text import as_text
from drawing.folding import fold_alike
from drawing.from_previews import mark
from drawing.from_settings import picture
from stacks.settings import InvalidDocument, load


def draw(
    stack: StackArgument,
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a drawing.")] = None,
    previews: Annotated[
        list[Path] | None,
        typer.Option(
            "--preview",
            metavar="FILE",
            help="Mark what `pulumi preview --json` printed; `-` reads it from standard input. One for each "
            "stack, as many as there are.",
        ),
    ] = None,
) -> None:
    """Draw an environment: accounts, networks, clusters, layers.

    It has the node groups too, and what reads what; all of it from the settings. Of many clusters, those that
    have the same as another are folded. With previews it shows what is created, changed, replaced or deleted,
    and folds clusters where nothing is.

    \b
    Examples:
      moka draw prod
      moka draw prod --svg prod.svg
      pulumi preview --json --stack prod.shared | moka draw prod --preview - --svg prod.svg

    Exit status: 0 drawn, 2 wrong settings or arguments, or a preview that cannot be used.
    """
    environment, _, slice_name = stack.partition(".")
    try:
        drawn = picture(load(environment), stack if slice_name else None)
        if previews:
            drawn = mark(drawn, [preview.read(*_content(path)) for path in previews])
        else:
            drawn = fold_alike(drawn)
        if svg:
            _write(svg, as_svg(drawn))
    except InvalidDocument as error:
        typer.echo(error, err=True)
        raise typer.Exit(2) from None
    print(svg if svg else as_text(drawn), end="\n" if svg else "")


def _content(path: Path) -> tuple[bytes, str]:
    """What a file has, and its name in messages."""
    if path == Path("-"):
        return sys.stdin.buffer.read(), "The preview on standard input"
    try:
        return path.read_bytes(), str(path)
    except OSError as error:
        raise InvalidDocument(
            f"{path} cannot be read ({error.strerror}): name a file with a preview."
        ) from None


def _write(path: Path, drawing: str) -> None:
    try:
        path.write_text(drawing, encoding="utf-8")
    except OSError as error:
        raise InvalidDocument(f"{path} cannot be written ({error.strerror}): name another file.") from None
