"""`moka report`: what a reviewer should know of a preview."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from report.model import Report

STATUSES = {"note": 0, "look": 1, "stop": 3}
"""The gravest finding -> exit status; 2 is for what cannot be read, as of all commands."""


def report(
    preview: Annotated[
        str, typer.Argument(metavar="PREVIEW", help="What `pulumi preview --json` printed; - is stdin.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    markdown: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the Markdown to a file, too.")
    ] = None,
) -> None:
    """Write what a reviewer should know of a preview, as Markdown.

    The verdict comes first, then what is lost, policies, nodes, drivers, queues, rights, what becomes
    reachable and cost; all else is folded. It fits into a comment on GitHub. docs/review.md has more.

    \b
    Examples:
      moka report preview.json
      moka report - --json < preview.json
      moka report preview.json --markdown report.md

    \b
    Exit status: 0 nothing of note, 1 something to look at, 3 do not merge,
    2 no preview: empty, cut off, failed, of a newer engine.
    """
    from report.as_json import as_json as json_of
    from report.cost.prices import InvalidPrices
    from report.markdown import as_markdown
    from report.preview import UnreadablePreview

    try:
        with _without_collection():
            result = _report(preview)
        text = as_markdown(result)
        if markdown:
            markdown.write_text(text)
        print(json_of(result) if as_json else text)
    except (UnreadablePreview, InvalidPrices) as error:
        typer.echo(error, err=True)
        raise typer.Exit(2) from None
    except OSError as error:
        typer.echo(f"{error.filename}: {error.strerror}.", err=True)
        raise typer.Exit(2) from None
    raise typer.Exit(STATUSES[result.weight])


@contextmanager
def _without_collection() -> Iterator[None]:
    """A preview is read once, and all of it stays: to look for garbage in it takes a third of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _report(source: str) -> "Report":
    """The report on a file, or on stdin. Raises UnreadablePreview, InvalidPrices, OSError."""
    from report.examination import examine
    from report.preview import UnreadablePreview, read

    name = "stdin" if source == "-" else source
    content = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise UnreadablePreview(
            f"{name} is no text in UTF-8: give what `pulumi preview --json` prints."
        ) from None
    return examine(read(text, name))
