"""The picture as text for a terminal: a line for everything, each below what it is in."""

from collections.abc import Iterator, Sequence

from drawing.model import (
    OPERATIONS,
    Account,
    Cluster,
    Foundation,
    Layer,
    NodeGroup,
    Part,
    Picture,
    Reading,
    count,
)

Line = tuple[str, str]
"""What stands to the left, with its indentation, and what to the right of it."""


def as_text(picture: Picture) -> str:
    """A line for everything, in two columns; marks are those of the drawing."""
    lines = [line for account in picture.accounts for line in _account(picture, account)]
    width = max((len(left) for left, right in lines if right), default=0)
    body = [f"{left:<{width}}  {right}".rstrip() for left, right in lines]
    return "\n".join([picture.title, *picture.remarks, *([""] if body else []), *body]) + "\n"


def _line(picture: Picture, address: str, depth: int, name: str, *facts: str) -> Line:
    """A line, with its marks at the end of what stands to the right."""
    marks = " ".join(
        f"{OPERATIONS[operation].symbol}{number}"
        for operation, number in count(picture.marks.get(address, ())).items()
    )
    right = ", ".join(filter(None, facts))
    return f"{'  ' * depth}{name}", f"{right}  [{marks}]".strip() if marks else right


def _account(picture: Picture, account: Account) -> Iterator[Line]:
    yield account.name, ""
    for foundation in account.foundations:
        yield from _foundation(picture, foundation)


def _foundation(picture: Picture, foundation: Foundation) -> Iterator[Line]:
    layer, network = foundation.layer, foundation.network
    name = f"foundation {layer.place}"
    yield _line(picture, layer.address, 1, name, foundation.region, _stack(layer))
    yield from _parts(picture, foundation.data, 2)
    if network:
        yield _line(picture, network.address, 2, network.facts)
        yield from _parts(picture, [*network.ways, *network.zones], 3)
    for cluster in foundation.clusters:
        yield from _cluster(picture, cluster)


def _parts(picture: Picture, parts: Sequence[Part], depth: int) -> Iterator[Line]:
    for part in parts:
        yield _line(picture, part.address, depth, part.name, *part.lines)


def _cluster(picture: Picture, cluster: Cluster) -> Iterator[Line]:
    yield _line(picture, "", 2, f"cluster {cluster.name}", cluster.facts, cluster.folded)
    if not cluster.folded:
        for layer in cluster.layers:
            reads = [
                _short(reading, layer) for reading in picture.readings if reading.reader == layer.address
            ]
            reading = f"reads {', '.join(reads)}" if reads else ""
            yield _line(picture, layer.address, 3, layer.name, _stack(layer), reading)
        for group in cluster.node_groups:
            yield _node_group(picture, group)


def _stack(layer: Layer) -> str:
    return "removed" if layer.removed else f"stack {layer.stack}"


def _short(reading: Reading, reader: Layer) -> str:
    """What is read; of the reader's own cluster without its name."""
    layer, _, place = reading.read.partition("/")
    return layer if place == reader.place else reading.read


def _node_group(picture: Picture, group: NodeGroup) -> Line:
    types = " or ".join(group.instance_types)
    zones = f"in {' '.join(group.zones)}" if group.zones else ""
    facts = "; ".join(filter(None, [types, group.nodes, group.purchase, zones]))
    return _line(picture, group.address, 3, f"nodes {group.name}", facts)
