"""Shapes of the picture: boxes with text in them, and the marks of a preview. All lengths are pixels."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from drawing.model import OPERATIONS, Change, Operation, Part, Picture, count, summary
from moka.svg import BLUE, GREEN, INK, LINE, MUTED, ORANGE, Paint, shortened, text, text_width

GAP = 8
"""Between what stands side by side, and between text and the edge of its box."""

HEADER = 32
"""Height of the line with a box's name."""

ROW = 24
"""Height of a box with one line."""

BADGE = 15
"""Height of a mark."""

LISTED = 15
"""Changes that a tooltip names; of the others there is their number."""

ROLES = {"system": MUTED, "driver": BLUE, "executor": GREEN, "shuffle": ORANGE}

# On light ground and on dark: GitHub's own, readable as text; their meanings are those of `pulumi preview`.
MARKS: dict[Operation, tuple[str, str]] = {
    "create": ("#1a7f37", "#3fb950"),
    "update": ("#9a6700", "#d29922"),
    "replace": ("#8250df", "#ab7df8"),
    "delete": ("#cf222e", "#f85149"),
}

PAINTS = (
    Paint(".area", "fill", "#ffffff", "#0d1117"),
    Paint(".shade", "fill", "#f6f8fa", "#151b23"),
    Paint(".area, .shade", "stroke", "#d0d7de", "#3d444d"),
    Paint(".badge", "fill", "#ffffff", "#0d1117"),
    Paint(".reads", "stroke", "#818b98", "#7d8590"),
    Paint(".across", "stroke", *BLUE),
    Paint(".tip", "fill", "#818b98", "#7d8590"),
    Paint(".across-tip", "fill", *BLUE),
    Paint(".zone", "fill", *LINE),
    Paint("text.zone", "fill", *INK),
    *(Paint(f".{role}", "fill", *colours) for role, colours in ROLES.items()),
    *(Paint(f"rect.{operation}", "stroke", *colours) for operation, colours in MARKS.items()),
    *(Paint(f"text.{operation}", "fill", *colours) for operation, colours in MARKS.items()),
)
RULES = (
    ".reads, .across { fill: none; stroke-width: 1.2 }",
    ".across, .elsewhere { stroke-dasharray: 5 3 }",
    ".create, .update, .replace, .delete { stroke-width: 1.6 }",
    "rect.delete { stroke-dasharray: 2 2 }",
    "rect.zone { opacity: 0.55 }",
)


@dataclass(frozen=True)
class Box:
    """A rectangle: its left top corner, and its size."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Its right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return self.y + self.height

    @property
    def line(self) -> float:
        """Where its first line of text stands, if that is as high as a row."""
        return self.y + ROW / 2 + 4.5


def rectangle(box: Box, kind: str, radius: float = 4) -> str:
    """The rectangle itself."""
    return (
        f'<rect class="{kind}" x="{box.x:g}" y="{box.y:g}" width="{box.width:g}" '
        f'height="{box.height:g}" rx="{radius:g}"/>'
    )


def group(box: Box, kind: str, tooltip: str, content: Iterable[str]) -> str:
    """A box with all that is in it."""
    return "\n".join(
        [
            f'<g class="box"><title>{escape(tooltip)}</title>',
            rectangle(box, kind),
            *content,
            "</g>",
        ]
    )


def marked(kind: str, changes: Sequence[Change], *, removed: bool = False) -> str:
    """The kind of the box of a part with these changes, whose edge tells what becomes of it as a whole."""
    if not removed and "replace" in count(changes):
        return f"{kind} replace"
    return marked_whole(kind, changes, removed=removed, new=True)


def marked_whole(kind: str, changes: Sequence[Change], *, removed: bool, new: bool) -> str:
    """The same of a box with parts: it is not replaced where one of them is.

    removed: it goes. new: if all of these are created, so is the box.
    """
    operations = count(changes).keys()
    if removed:
        return f"{kind} delete"
    if operations == {"create"} and new:
        return f"{kind} create"
    return f"{kind} update" if operations else kind


def tooltip(lines: Iterable[str], changes: Sequence[Change]) -> str:
    """What a box says when it is pointed at: a line each, and what would be done there."""
    change_lines = [f"{OPERATIONS[c.operation].symbol} {c.resource}" for c in changes[:LISTED]]
    more = [f"and {len(changes) - LISTED} more"] if len(changes) > LISTED else []
    return "\n".join([*lines, *([summary(changes)] if changes else []), *change_lines, *more])


def _badges(changes: Sequence[Change]) -> Iterator[tuple[Operation, str, float]]:
    for operation, number in count(changes).items():
        label = f"{OPERATIONS[operation].symbol}{number}"
        yield operation, label, text_width(label, "tag") + GAP


def badges_width(changes: Sequence[Change]) -> float:
    """Width of the marks of changes, with a gap before each."""
    return sum(width + GAP / 2 for _, _, width in _badges(changes))


def badges(right: float, middle: float, changes: Sequence[Change]) -> Iterator[str]:
    """The number of each operation, in its colour, up to `right` and around the line `middle`."""
    x = right - badges_width(changes)
    for operation, label, width in _badges(changes):
        x += GAP / 2
        yield rectangle(Box(x, middle - BADGE / 2, width, BADGE), f"badge {operation}", radius=7)
        yield text(x + GAP / 2, middle + 4, label, f"tag {operation}")
        x += width


def header(picture: Picture, box: Box, address: str, name: str, facts: str) -> Iterator[str]:
    """The line at the top of a box: its name, what is to say of it, and its marks."""
    changes = picture.marks.get(address, ())
    y = box.y + HEADER / 2 + 4.5
    x = box.x + GAP + 4
    yield text(x, y, name, "parent")
    x += text_width(name, "parent") + 12
    room = box.right - GAP - badges_width(changes) - x
    yield text(x, y, shortened(facts, room, "small"), "small")
    yield from badges(box.right - GAP, box.y + HEADER / 2, changes)


def header_width(picture: Picture, address: str, name: str, facts: str) -> float:
    """Width that the line at the top takes."""
    marks = badges_width(picture.marks.get(address, ()))
    return text_width(name, "parent") + text_width(facts, "small") + marks + 5 * GAP


def cell_width(picture: Picture, part: Part) -> float:
    """Width of a part in one line."""
    marks = badges_width(picture.marks.get(part.address, ()))
    lines = text_width(", ".join(part.lines), "small") + GAP if part.lines else 0
    return text_width(part.name) + lines + marks + 2 * GAP


def cells(picture: Picture, parts: Sequence[Part], area: Box, kind: str) -> tuple[list[str], float]:
    """Parts in one line each, side by side in as many rows as they take; height of all rows.

    area: where they begin, and how wide they may be.
    """
    shapes: list[str] = []
    x, y = area.x, area.y
    for part in parts:
        width = min(cell_width(picture, part), area.width)
        if x + width > area.right:
            x, y = area.x, y + ROW + GAP
        shapes.append(_cell(picture, part, Box(x, y, width, ROW), kind))
        x += width + GAP
    return shapes, (y + ROW - area.y if parts else 0)


def _cell(picture: Picture, part: Part, box: Box, kind: str) -> str:
    changes = picture.marks.get(part.address, ())
    facts = ", ".join(part.lines)
    room = box.width - 2 * GAP - badges_width(changes)
    name = shortened(part.name, room)
    content = [text(box.x + GAP, box.line, name)]
    space = room - text_width(name) - GAP
    if facts and space > 3 * GAP:
        content.append(
            text(
                box.right - GAP - badges_width(changes) - space,
                box.line,
                shortened(facts, space, "small"),
                "small",
            )
        )
    content += badges(box.right - GAP, box.y + ROW / 2, changes)
    return group(
        box, marked(kind, changes, removed=part.removed), tooltip([part.name, *part.lines], changes), content
    )
