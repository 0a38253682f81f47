"""What overlaps or runs over in a drawing, told from its coordinates. Lengths are pixels."""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

from moka.svg import SIZES, text_width

SVG = "{http://www.w3.org/2000/svg}"
LINE_KINDS = {"reads", "across"}


@dataclass(frozen=True)
class Area:
    """What something covers, and what it is called in messages."""

    name: str
    left: float
    top: float
    right: float
    bottom: float

    def holds(self, other: "Area") -> bool:
        return (
            self.left <= other.left + 0.1
            and self.top <= other.top + 0.1
            and self.right >= other.right - 0.1
            and self.bottom >= other.bottom - 0.1
        )

    def meets(self, other: "Area") -> bool:
        return (
            self.left < other.right - 0.1
            and other.left < self.right - 0.1
            and self.top < other.bottom - 0.1
            and other.top < self.bottom - 0.1
        )


def _numbers(element: ElementTree.Element, *names: str) -> list[float]:
    return [float(element.get(name, 0)) for name in names]


def rectangle(element: ElementTree.Element, name: str) -> Area:
    x, y, width, height = _numbers(element, "x", "y", "width", "height")
    return Area(name, x, y, x + width, y + height)


def text_area(element: ElementTree.Element) -> Area:
    """Where a text is, in the widest of its fonts."""
    x, y = _numbers(element, "x", "y")
    kinds, content = element.get("class", ""), element.text or ""
    size = next((SIZES[kind] for kind in kinds.split() if kind in SIZES), SIZES[""])
    return Area(content, x, y - 0.76 * size, x + text_width(content, kinds), y + 0.24 * size)


def _is_box(element: ElementTree.Element) -> bool:
    return element.tag == f"{SVG}g" and element.get("class") == "box"


def _box_area(box: ElementTree.Element) -> Area:
    name = (box.findtext(f"{SVG}title") or "").partition("\n")[0]
    return rectangle(box.find(f"{SVG}rect"), name)


def lines(svg: ElementTree.Element) -> Iterator[Area]:
    """Every straight piece of the lines of what reads what."""
    for path in svg.iter(f"{SVG}path"):
        pieces = re.fullmatch(r"M([-\d.]+) ([-\d.]+) ([HV])([-\d.]+)", path.get("d", ""))
        if path.get("class") in LINE_KINDS and pieces:
            x, y, to = float(pieces[1]), float(pieces[2]), float(pieces[4])
            ends = [(x, y), (to, y) if pieces[3] == "H" else (x, to)]
            (left, right), (top, bottom) = map(sorted, zip(*ends, strict=True))
            yield Area(path.get("d", ""), left - 0.5, top - 0.5, right + 0.5, bottom + 0.5)


def mistakes(svg: str) -> list[str]:
    """What runs over its box, overlaps, or has a line through it."""
    root = ElementTree.fromstring(svg)
    texts = [text_area(element) for element in root.iter(f"{SVG}text")]
    page = Area("the page", 0, 0, *_numbers(root, "width", "height"))
    return [
        *(f"{text.name!r} is not on the page" for text in texts if not page.holds(text)),
        *_of_box(root, page),
        *(f"{a.name!r} is over {b.name!r}" for a, b in itertools.combinations(texts, 2) if a.meets(b)),
        *(
            f"line {line.name} is over {text.name!r}"
            for line in lines(root)
            for text in texts
            if line.meets(text)
        ),
    ]


def _of_box(element: ElementTree.Element, area: Area) -> Iterator[str]:
    """Mistakes of what is in a box, and in the boxes in it."""
    boxes = [(child, _box_area(child)) for child in element if _is_box(child)]
    parts = [
        *(text_area(child) for child in element if child.tag == f"{SVG}text"),
        *(rectangle(child, child.get("class", "")) for child in element.findall(f"{SVG}rect")),
        *(box for _, box in boxes),
    ]
    yield from (f"{part.name!r} is not in {area.name!r}" for part in parts if not area.holds(part))
    for (_, one), (_, other) in itertools.combinations(boxes, 2):
        if one.meets(other):
            yield f"box {one.name!r} is over {other.name!r}"
    for text in (text_area(child) for child in element if child.tag == f"{SVG}text"):
        yield from (f"box {box.name!r} is over {text.name!r}" for _, box in boxes if box.meets(text))
    for badge in (child for child in element.findall(f"{SVG}rect") if "badge" in child.get("class", "")):
        place = rectangle(badge, "a mark")
        for text in (text_area(child) for child in element if child.tag == f"{SVG}text"):
            if place.meets(text) and not (place.left <= text.left and text.right <= place.right):
                yield f"a mark is over {text.name!r}"
    for child, box in boxes:
        yield from _of_box(child, box)
