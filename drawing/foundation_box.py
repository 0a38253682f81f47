"""A foundation: its unit and data, and the network with its zones, the ways out of it, and the clusters."""

from dataclasses import dataclass

from drawing import cluster_box
from drawing.layer_box import draw_layer, layer_width
from drawing.model import Foundation, Network, Part, Picture, Reading
from drawing.readings import lanes, lanes_width
from drawing.shapes import (
    GAP,
    HEADER,
    ROW,
    Box,
    badges,
    badges_width,
    cells,
    group,
    header,
    header_width,
    marked,
    tooltip,
)
from moka.svg import text, text_width

LINE = 16
"""Height of a line of a zone."""

NARROWEST = 700
"""Width of what is in a foundation, at the least."""


@dataclass(frozen=True)
class Frame:
    """What all foundations of a picture share.

    lanes: width to the left of what is in one. width: of a whole foundation.
    """

    picture: Picture
    clusters: cluster_box.Columns
    lanes: float
    width: float


def measure(picture: Picture) -> Frame:
    """The widths that the widest of everything takes."""
    clusters = cluster_box.measure(picture)
    foundations = list(picture.foundations)
    number = max(len(lanes(below(picture, foundation))) for foundation in foundations)
    networks = [foundation.network for foundation in foundations if foundation.network]
    zones = [
        len(network.zones) * (max(_zone_width(picture, zone) for zone in network.zones) + GAP)
        for network in networks
    ]
    facts = [header_width(picture, network.address, network.facts, "") for network in networks]
    gutter = lanes_width(number) + GAP
    content = max([clusters.cluster, *zones, *facts, NARROWEST]) + 2 * GAP
    return Frame(picture, clusters, gutter, gutter + content + GAP)


def below(picture: Picture, foundation: Foundation) -> list[Reading]:
    """What the clusters of a foundation read of it."""
    own = {layer.address for cluster in foundation.clusters for layer in cluster.layers}
    read = foundation.layer.address
    return [reading for reading in picture.readings if reading.read == read and reading.reader in own]


def draw_foundation(
    frame: Frame, foundation: Foundation, x: float, y: float, boxes: dict[str, Box]
) -> tuple[str, float]:
    """The foundation, and its height; `boxes` gets where its units are, by address."""
    picture, layer = frame.picture, foundation.layer
    inner = Box(x + frame.lanes, y + HEADER, frame.width - frame.lanes - GAP, 0)
    unit = Box(inner.x, inner.y, layer_width(picture, layer, ""), ROW)
    boxes[layer.address] = unit
    room = Box(unit.right + GAP, inner.y, inner.right - unit.right - GAP, 0)
    data, data_height = cells(picture, foundation.data, room, "shade")
    top = inner.y + max(ROW, data_height) + GAP
    network, network_height = _network(frame, foundation, Box(inner.x, top, inner.width, 0), boxes)
    box = Box(x, y, frame.width, top + network_height + GAP - y)
    stack = f"stack {layer.stack}" if layer.stack else ""
    facts = ", ".join(filter(None, [foundation.region, stack]))
    content = [
        *header(picture, box, "", f"foundation {layer.place}", facts),
        draw_layer(picture, layer, "", unit),
        *data,
        network,
    ]
    return group(box, "area", f"foundation {layer.place}, {foundation.region}", content), box.height


def _network(frame: Frame, foundation: Foundation, area: Box, boxes: dict[str, Box]) -> tuple[str, float]:
    """The network with all that is in it, and its height; `area` is where it begins, and its width."""
    picture, network = frame.picture, foundation.network
    x, y, width = area.x + GAP, area.y + GAP, area.width - 2 * GAP
    content: list[str] = []
    if network:
        y = area.y + HEADER
        ways, ways_height = cells(picture, network.ways, Box(x, y, width, 0), "area")
        y += ways_height + GAP if ways else 0
        content += ways
        content += _zones(picture, network, Box(x, y, width, _zone_height(network)))
        y += _zone_height(network) + GAP
    for cluster in foundation.clusters:
        box = Box(x, y, width, cluster_box.height(cluster))
        content.append(cluster_box.draw_cluster(picture, foundation, cluster, frame.clusters, box, boxes))
        y = box.bottom + GAP
    box = Box(area.x, area.y, area.width, y - area.y)
    changes = picture.marks.get(network.address, ()) if network else ()
    title = list(header(picture, box, network.address, network.facts, "")) if network else []
    lines = [network.facts] if network else [f"network of {foundation.layer.place}"]
    return group(box, marked("shade", changes), tooltip(lines, changes), [*title, *content]), box.height


def _zone_width(picture: Picture, zone: Part) -> float:
    lines = [text_width(line, "small") for line in zone.lines]
    name = text_width(zone.name, "parent") + badges_width(picture.marks.get(zone.address, ())) + GAP
    return max([name, *lines]) + 2 * GAP


def _zone_height(network: Network) -> float:
    return ROW + LINE * max(len(zone.lines) for zone in network.zones) + GAP / 2


def _zones(picture: Picture, network: Network, area: Box) -> list[str]:
    """The zones side by side, equally wide."""
    width = (area.width + GAP) / len(network.zones) - GAP
    return [
        _zone(picture, zone, Box(area.x + index * (width + GAP), area.y, width, area.height))
        for index, zone in enumerate(network.zones)
    ]


def _zone(picture: Picture, zone: Part, box: Box) -> str:
    changes = picture.marks.get(zone.address, ())
    content = [
        text(box.x + GAP, box.line, zone.name, "parent"),
        *badges(box.right - GAP, box.y + ROW / 2, changes),
        *(
            text(box.x + GAP, box.line + LINE * index, line, "small")
            for index, line in enumerate(zone.lines, start=1)
        ),
    ]
    return group(box, marked("area", changes), tooltip([zone.name, *zone.lines], changes), content)
