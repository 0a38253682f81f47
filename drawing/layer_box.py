"""The box of a unit: the name of its layer, its stack where that has to be told, and its marks."""

from collections.abc import Iterator, Sequence

from drawing.model import Layer, Picture
from drawing.shapes import GAP, ROW, Box, badges, badges_width, group, marked_whole, tooltip
from moka.svg import text, text_width


def with_stacks(layers: Sequence[Layer]) -> Iterator[tuple[Layer, str]]:
    """Each layer, and its stack where that is not the same for all of them."""
    several = len({layer.stack for layer in layers if layer.stack}) > 1
    for layer in layers:
        yield layer, layer.stack if several else ""


def layer_width(picture: Picture, layer: Layer, stack: str) -> float:
    """Width that the box of a unit takes."""
    stack_width = text_width(stack, "small") + GAP if stack else 0
    marks = badges_width(picture.marks.get(layer.address, ()))
    return text_width(layer.name, "parent") + stack_width + marks + 2 * GAP


def draw_layer(picture: Picture, layer: Layer, stack: str, box: Box) -> str:
    """The box of a unit; of another stack than the one that is drawn, with a broken edge."""
    changes = picture.marks.get(layer.address, ())
    content = [text(box.x + GAP, box.line, layer.name, "parent")]
    if stack:
        content.append(text(box.x + 2 * GAP + text_width(layer.name, "parent"), box.line, stack, "small"))
    content += badges(box.right - GAP, box.y + ROW / 2, changes)
    lines = [layer.address, "removed" if layer.removed else f"stack {layer.stack}"]
    kind = "shade elsewhere" if layer.elsewhere else "shade"
    kind = marked_whole(kind, changes, removed=layer.removed, new=layer.new)
    return group(box, kind, tooltip(lines, changes), content)
