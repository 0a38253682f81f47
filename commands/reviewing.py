"""A report on a preview with a picture of what changes, for the commands that write one."""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from drawing.as_svg import as_svg
from drawing.as_text import as_text
from drawing.folding import fold_to_marks
from drawing.model import OPERATIONS, Picture, count
from drawing.stack_picture import stack_picture
from moka.mistakes import InvalidDocument
from previews import Preview, UnreadablePreview, read
from report.examination import examine
from report.markdown import as_markdown
from report.model import Drawing, Report

LEGEND = (
    "Only what changes, with the number of resources: "
    + ", ".join(f"`{operation.symbol}` {operation.done}" for operation in OPERATIONS.values())
    + "."
)


@dataclass(frozen=True)
class Review:
    """A report, and the picture that its drawing is of; None where there is none."""

    report: Report
    picture: Picture | None

    def write(self, markdown: Path | None, svg: Path | None) -> "Review":
        """The review as it is in files, with the drawing linked. Raises OSError."""
        report = self.report
        if svg and self.picture and report.drawing:
            svg.write_text(as_svg(self.picture), encoding="utf-8")
            link = os.path.relpath(svg, markdown.parent if markdown else None)
            report = replace(report, drawing=replace(report.drawing, svg=link))
        if markdown:
            markdown.write_text(as_markdown(report), encoding="utf-8")
        return replace(self, report=report)


def review(content: bytes | str, source: str) -> Review:
    """The report on a preview, with a picture. Raises UnreadablePreview, moka.prices.InvalidPrices."""
    with _without_collection():
        return review_of(read(content, source), source)


def review_of(preview: Preview, source: str) -> Review:
    """The report on a preview that was read, with a picture.

    Raises UnreadablePreview, `moka.prices.InvalidPrices`.
    """
    try:
        drawing, picture = _drawing(preview)
        return Review(examine(preview, drawing), picture)
    except RecursionError:
        raise UnreadablePreview(
            f"{source} has values within values without an end: preview again, and keep it as it is."
        ) from None


def _drawing(preview: Preview) -> tuple[Drawing | None, Picture | None]:
    """What changes, drawn, where anything does."""
    if not preview.changes:
        return None, None
    try:
        picture = stack_picture(preview.stack, [preview])
    except InvalidDocument as error:
        return Drawing(unavailable=str(error).partition("\n")[0]), None
    marks = {
        address: {str(operation): number for operation, number in count(changes).items()}
        for address, changes in picture.marks.items()
    }
    return Drawing(text=as_text(fold_to_marks(picture)), legend=LEGEND, marks=marks), picture


@contextmanager
def _without_collection() -> Iterator[None]:
    """A preview is read once, and all of it stays: to look for garbage in it takes a third of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
