"""A cluster: its layers one below the other, lines of what they read of each other, and its node groups."""

from collections.abc import Iterator
from dataclasses import dataclass

from drawing import node_table
from drawing.layer_box import draw_layer, layer_width, with_stacks
from drawing.model import Cluster, Foundation, Picture, Reading
from drawing.readings import LANE, TIP, Ports, draw, lanes, lanes_width
from drawing.shapes import GAP, HEADER, ROW, Box, group, header, header_width, marked_whole


@dataclass(frozen=True)
class Columns:
    """Widths that are the same in all clusters of a picture, so that what is alike is below each other.

    layers: of the boxes of layers. lanes: between these and the node groups. cluster: of a whole cluster.
    """

    layers: float
    lanes: float
    nodes: node_table.Columns
    cluster: float


def measure(picture: Picture) -> Columns:
    """The widths that the widest of everything takes."""
    clusters = [(f, cluster) for f in picture.foundations for cluster in f.clusters]
    opened = [(foundation, cluster) for foundation, cluster in clusters if not cluster.folded]
    boxes = [pair for _, cluster in opened for pair in with_stacks(cluster.layers)]
    layers = max((layer_width(picture, layer, stack) for layer, stack in boxes), default=0)
    number = max((len(lanes(_inside(picture, cluster))) for _, cluster in opened), default=0)
    groups = [(foundation, item) for foundation, cluster in opened for item in cluster.node_groups]
    nodes = node_table.measure(picture, groups)
    gutter = lanes_width(number) + GAP
    headers = (
        header_width(picture, "", f"cluster {cluster.name}", _facts(cluster)) for _, cluster in clusters
    )
    body = 4 * GAP + layers + gutter + (nodes.row if groups else 0)
    return Columns(layers, gutter, nodes, max([body, *headers]))


def _inside(picture: Picture, cluster: Cluster) -> list[Reading]:
    """What its layers read of each other."""
    own = {layer.address for layer in cluster.layers}
    return [reading for reading in picture.readings if {reading.reader, reading.read} <= own]


def height(cluster: Cluster) -> float:
    """Height of a cluster."""
    if cluster.folded:
        return HEADER
    rows = max(len(cluster.layers), node_table.rows(cluster.node_groups))
    return HEADER + node_table.PITCH * rows + GAP


def draw_cluster(
    picture: Picture,
    foundation: Foundation,
    cluster: Cluster,
    columns: Columns,
    box: Box,
    boxes: dict[str, Box],
) -> str:
    """The cluster; `boxes` gets where its units are, by address."""
    changes = [change for layer in cluster.layers for change in picture.marks.get(layer.address, ())]
    content = list(header(picture, box, "", f"cluster {cluster.name}", _facts(cluster)))
    if cluster.folded:
        boxes.update({layer.address: box for layer in cluster.layers})
    else:
        x, y = box.x + 2 * GAP, box.y + HEADER
        for index, (layer, stack) in enumerate(with_stacks(cluster.layers)):
            boxes[layer.address] = Box(x, y + node_table.PITCH * index, columns.layers, ROW)
            content.append(draw_layer(picture, layer, stack, boxes[layer.address]))
        content += _lines(picture, cluster, x + columns.layers, boxes)
        x += columns.layers + columns.lanes
        area = Box(x, y, box.right - 2 * GAP - x, ROW)
        content += node_table.draw_table(picture, foundation, cluster.node_groups, columns.nodes, area)
    kind = marked_whole(
        "area", changes, removed=cluster.removed, new=all(layer.new for layer in cluster.layers)
    )
    return group(box, kind, f"cluster {cluster.name}: {_facts(cluster)}", content)


def _facts(cluster: Cluster) -> str:
    stacks = {layer.stack for layer in cluster.layers if layer.stack}
    stack = f"stack {stacks.pop()}" if len(stacks) == 1 else ""
    return ", ".join(filter(None, [cluster.facts, stack, cluster.folded]))


def _lines(picture: Picture, cluster: Cluster, right: float, boxes: dict[str, Box]) -> Iterator[str]:
    """Lines of what its layers read of each other, to the right of them."""
    own = lanes(_inside(picture, cluster))
    ports = Ports(boxes, [("right", lane) for lane in own])
    for index, lane in enumerate(own, start=1):
        yield from draw(ports, "right", lane, right + TIP + LANE * index)
