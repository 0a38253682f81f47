"""`moka report`: what a reviewer should know of a preview."""

from pathlib import Path
from typing import Annotated

import typer

from commands.refusals import exit_on, writing
from report.model import Weight

STATUSES: dict[Weight, int] = {"note": 0, "look": 1, "stop": 3}
"""The gravest finding -> exit status; 2 is for what cannot be read, as of all commands."""


def report(
    preview: Annotated[
        str, typer.Argument(metavar="PREVIEW", help="What `pulumi preview --json` printed; - is stdin.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    markdown: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the Markdown to a file, too.")
    ] = None,
    svg: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a drawing, where something changes; the Markdown links it."),
    ] = None,
) -> None:
    """Write what a reviewer should know of a preview, as Markdown.

    The verdict comes first, then what is lost, policies, nodes, drivers, queues, rights, what becomes
    reachable and cost; all else is folded, and a picture of where it changes. It fits into a comment on
    GitHub. docs/review.md has more.

    \b
    Examples:
      moka report preview.json
      moka report - --json < preview.json
      moka report preview.json --markdown report.md --svg report.svg

    \b
    Exit status: 0 nothing of note, 1 something to look at, 3 do not merge,
    2 no preview: empty, cut off, failed, of a newer engine.
    """
    from commands.preview_files import content_of
    from commands.reviewing import review
    from moka.mistakes import InvalidDocument
    from moka.prices import InvalidPrices
    from report.as_json import as_json as json_of
    from report.markdown import as_markdown

    with exit_on(InvalidDocument, InvalidPrices), writing():
        result = review(*content_of(preview)).write(markdown, svg).report
        print(json_of(result) if as_json else as_markdown(result))
    raise typer.Exit(STATUSES[result.weight])
