"""What reads what: lines in lanes beside the boxes, so that none runs over text.

A lane is a vertical line that leads to one unit. What reads that unit is joined to it by a horizontal line.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

from drawing.model import Reading
from drawing.shapes import Box

LANE = 11
"""Pixels from one lane to the next."""

TIP = 6
"""Length of the tip of an arrow."""

Side = Literal["left", "right"]


@dataclass(frozen=True)
class Lane:
    """All readings of one unit that run in one line; the last reader is the farthest below."""

    read: str
    across: bool
    readers: tuple[str, ...]


def lanes(readings: Sequence[Reading]) -> list[Lane]:
    """The lanes of some readings: the more readers one has, the nearer to the boxes it is."""
    readers: dict[tuple[str, bool], list[str]] = defaultdict(list)
    for reading in readings:
        readers[reading.read, reading.across].append(reading.reader)
    unsorted = [Lane(read, across, tuple(names)) for (read, across), names in readers.items()]
    return sorted(unsorted, key=lambda lane: (-len(lane.readers), lane.read, lane.across))


def lanes_width(number: int) -> float:
    """Width of so many lanes, with the tips of their arrows."""
    return TIP + LANE * number + 4 if number else 0


class Ports:
    """Where lines leave and reach boxes: evenly along an edge, so that no two meet.

    boxes: address -> the box of a unit.
    """

    def __init__(self, boxes: Mapping[str, Box], side_lanes: Sequence[tuple[Side, Lane]]) -> None:
        self.boxes = boxes
        uses: dict[tuple[Side, Box], list[tuple[str, Lane]]] = defaultdict(list)
        # Lines of what is read go up, and of readers come from below: in this order fewest of them cross.
        for side, lane in side_lanes:
            for reader in lane.readers:
                if (use := ("reads", lane)) not in uses[side, boxes[reader]]:
                    uses[side, boxes[reader]].append(use)
        for side, lane in reversed(side_lanes):
            uses[side, boxes[lane.read]].append(("is read", lane))
        self._uses = uses

    def y(self, side: Side, address: str, use: str, lane: Lane) -> float:
        """The height at which a lane's line leaves or reaches a unit's box."""
        box = self.boxes[address]
        uses = self._uses[side, box]
        return box.y + box.height * (uses.index((use, lane)) + 1) / (len(uses) + 1)


def describe(reader: str, lane: Lane) -> str:
    """A reading in words."""
    return f"{reader} reads {lane.read}{', of another stack' if lane.across else ''}"


def draw(ports: Ports, side: Side, lane: Lane, x: float) -> Iterator[str]:
    """The lines of one lane, that runs at `x` on this side of the boxes."""
    kind, tip = ("across", "across-tip") if lane.across else ("reads", "tip")
    outward = -1 if side == "left" else 1

    def edge(address: str) -> float:
        box = ports.boxes[address]
        return box.x if side == "left" else box.right

    joints: dict[float, list[str]] = defaultdict(list)
    for reader in lane.readers:
        joints[ports.y(side, reader, "reads", lane)].append(reader)
    end, target = edge(lane.read), ports.y(side, lane.read, "is read", lane)
    top, bottom = min([*joints, target]), max([*joints, target])
    yield f'<path class="{kind}" d="M{x:g} {bottom:g} V{top:g}"/>'
    yield f'<path class="{kind}" d="M{x:g} {target:g} H{end + outward * TIP:g}"/>'
    yield f'<path class="{tip}" d="M{end:g} {target:g} l{outward * TIP:g} -3.5 v7 z"/>'
    for y, readers in joints.items():
        sentences = "\n".join(describe(reader, lane) for reader in readers)
        yield f"<g><title>{escape(sentences)}</title>"
        yield f'<path class="{kind}" d="M{edge(readers[0]):g} {y:g} H{x:g}"/>'
        if top < y < bottom:
            yield f'<circle class="{tip}" cx="{x:g}" cy="{y:g}" r="2"/>'
        yield "</g>"
