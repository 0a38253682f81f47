"""`moka draw`: a picture of an environment, or of one of its stacks, and of what previews change there."""

from pathlib import Path
from typing import Annotated

import typer

from commands.arguments import StackArgument
from commands.preview_files import content_of
from commands.refusals import exit_on
from drawing.as_svg import as_svg
from drawing.as_text import as_text
from drawing.stack_picture import stack_picture
from moka.mistakes import InvalidDocument
from previews import read


def draw(
    stack: StackArgument,
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a drawing.")] = None,
    previews: Annotated[
        list[str] | None,
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
    with exit_on(InvalidDocument):
        picture = stack_picture(stack, [read(*content_of(path)) for path in previews or ()])
        if svg:
            _write(svg, as_svg(picture))
    print(svg if svg else as_text(picture), end="\n" if svg else "")


def _write(path: Path, drawing: str) -> None:
    try:
        path.write_text(drawing, encoding="utf-8")
    except OSError as error:
        raise InvalidDocument(f"{path} cannot be written ({error.strerror}): name another file.") from None
