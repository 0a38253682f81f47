"""The node groups of a cluster, a row each."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from drawing.model import Foundation, NodeGroup, Picture
from drawing.shapes import GAP, ROW, Box, badges, badges_width, group, marked, rectangle, tooltip
from moka.svg import shortened, text, text_width

HEADS = ("node group", "role", "processors", "instance types", "nodes", "capacity")
KINDS = ("", "small", "small", "small", "", "small")
"""Of the texts of a column."""

DOT = 14
"""Room for the dot that has the colour of a role."""

WIDEST = 330
"""Width that the text of a column has at the most."""

PITCH = ROW + 4
"""From one row to the next."""


@dataclass(frozen=True)
class Columns:
    """Widths, the same in all clusters of a picture. zone: of the square of one zone. row: all together."""

    texts: tuple[float, ...]
    zone: float
    row: float

    @property
    def starts(self) -> list[float]:
        """Where each column begins, from the left of a row; the last one is that of the zones."""
        return list(accumulate((width + 2 * GAP for width in self.texts), initial=GAP))


def measure(picture: Picture, groups: Sequence[tuple[Foundation, NodeGroup]]) -> Columns:
    """The widths that these node groups take."""
    texts = tuple(
        max([text_width(head, "head"), *(min(WIDEST, _width(column, item)) for _, item in groups)])
        for column, head in enumerate(HEADS)
    )
    labels = [zone_label(foundation, zone) for foundation, _ in groups for zone in foundation.zones]
    zone = max((text_width(label, "small") for label in labels), default=0) + GAP
    zones = max((len(foundation.zones) for foundation, _ in groups), default=0)
    marks = max((badges_width(picture.marks.get(item.address, ())) for _, item in groups), default=0)
    columns = Columns(texts, zone, 0)
    last = max(text_width("zones", "head"), zones * (zone + 3))
    return Columns(texts, zone, columns.starts[-1] + last + marks + GAP)


def zone_label(foundation: Foundation, zone: str) -> str:
    """A zone without its region: `a`."""
    return zone.removeprefix(foundation.region).strip("-") or zone


def _texts(item: NodeGroup) -> Iterable[str]:
    types = ", ".join(item.instance_types)
    return (item.name, item.role, item.architecture, types, item.nodes, item.purchase)


def _width(column: int, item: NodeGroup) -> float:
    dot = DOT if column == 0 else 0
    return dot + text_width(list(_texts(item))[column], KINDS[column])


def rows(node_groups: Sequence[NodeGroup]) -> int:
    """Rows that node groups take, with that of the heads."""
    return len(node_groups) + 1 if node_groups else 0


def draw_table(
    picture: Picture, foundation: Foundation, node_groups: Sequence[NodeGroup], columns: Columns, area: Box
) -> Iterator[str]:
    """The table; `area` is as high as its first row."""
    if node_groups:
        for head, start in zip((*HEADS, "zones"), columns.starts, strict=True):
            yield text(area.x + start, area.line, head, "head")
    for index, item in enumerate(node_groups, start=1):
        box = Box(area.x, area.y + PITCH * index, area.width, ROW)
        yield _row(picture, foundation, item, columns, box)


def _row(picture: Picture, foundation: Foundation, item: NodeGroup, columns: Columns, box: Box) -> str:
    changes = picture.marks.get(item.address, ())
    content = []
    if item.role:
        content.append(
            f'<circle class="{item.role}" cx="{box.x + GAP + 4:g}" cy="{box.y + ROW / 2:g}" r="4.5"/>'
        )
    for column, value in enumerate(_texts(item)):
        dot = DOT if column == 0 else 0
        kind = KINDS[column]
        words = shortened(value, columns.texts[column] - dot, kind)
        if words:
            content.append(text(box.x + columns.starts[column] + dot, box.line, words, kind))
    content += _zones(foundation, item, columns, box)
    content += badges(box.right - GAP, box.y + ROW / 2, changes)
    lines = [f"node group {item.name}", ", ".join(item.instance_types), ", ".join(item.zones), *item.remarks]
    return group(
        box, marked("shade", changes, removed=item.removed), tooltip(filter(None, lines), changes), content
    )


def _zones(foundation: Foundation, item: NodeGroup, columns: Columns, box: Box) -> Iterator[str]:
    """A square for each zone of the foundation, filled where the group has nodes."""
    if not item.zones:
        return
    for index, zone in enumerate(foundation.zones):
        x = box.x + columns.starts[-1] + index * (columns.zone + 3)
        if zone in item.zones:
            yield rectangle(Box(x, box.y + 4, columns.zone, ROW - 8), "zone", radius=3)
            yield text(x + GAP / 2, box.line - 1, zone_label(foundation, zone), "small zone")
        else:
            yield rectangle(Box(x, box.y + 4, columns.zone, ROW - 8), "area", radius=3)
