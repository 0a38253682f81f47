"""Previews laid over a picture: what changes is marked, what goes is drawn too, what stays is folded."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from drawing.changes import Changed, Changes, changes_of
from drawing.deletions import with_deletions
from drawing.folding import fold_unchanged
from drawing.from_settings import group_name
from drawing.model import OPERATIONS, Change, Cluster, Foundation, Layer, Picture, summary
from moka.mistakes import InvalidDocument
from previews import Preview
from stacks.layer_table import LAYERS

LISTED = 5
"""Resources of no layer that are named; of others there is their number."""

# Beginning of a type, of the resource or of what it is in -> the part of the foundation that it is drawn in.
PARTS: Mapping[str, str] = {
    "moka:aws:Key": "key",
    "moka:aws:Registry": "registry",
    "moka:aws:InterfaceEndpoints": "endpoints",
    "aws:ec2/vpcEndpoint:": "endpoints",
    "aws:ec2/internetGateway:": "internet",
    "aws:ec2transitgateway/": "transit-gateway",
    "moka:aws:FlowLogs": "network",
    "moka:aws:Network": "network",
}


def mark(picture: Picture, previews: Sequence[Preview]) -> Picture:
    """The picture with what previews of its stacks would do.

    Raises InvalidDocument for a preview of another stack, a second one of the same, or one of other settings.
    """
    stacks = sorted({layer.stack for layer in picture.layers if not layer.elsewhere})
    _check(picture, [preview.stack for preview in previews], stacks)
    every = [changes_of(preview) for preview in previews]
    marks: dict[str, list[Change]] = defaultdict(list)
    elsewhere = []
    standing: dict[str, str] = {}
    for changes in every:
        for resource in changes.changed:
            change = Change(resource.operation, resource.title)
            address = _unit(picture, changes, resource)
            if not address:
                elsewhere.append(change)
                continue
            marks[address].append(change)
            if part := _part(picture, address, resource):
                marks[f"{address}#{part}"].append(change)
            if resource.provider in {foundation.layer.place for foundation in picture.foundations}:
                standing.setdefault(address, resource.provider)
    ordered = {address: tuple(sorted(marks[address], key=_worst_first)) for address in sorted(marks)}
    _check_settings(picture, ordered)
    deployed = {address for changes in every for address in changes.deployed}
    whole = replace(with_deletions(_with_new(picture, deployed), ordered, standing), marks=ordered)
    return replace(
        fold_unchanged(whole, {changes.stack for changes in every}),
        previewed=True,
        remarks=tuple(_remarks(every, elsewhere, stacks)),
    )


def _check(picture: Picture, previewed: Sequence[str], stacks: Sequence[str]) -> None:
    for stack in previewed:
        if stack not in stacks:
            raise InvalidDocument(
                f"The preview is of stack {stack}, and {picture.title.lower()} has {', '.join(stacks)}: "
                f"give the previews of these, or draw {stack.partition('.')[0]}."
            )
        if previewed.count(stack) > 1:
            raise InvalidDocument(f"There are {previewed.count(stack)} previews of stack {stack}: give one.")


def _check_settings(picture: Picture, marks: Mapping[str, Sequence[Change]]) -> None:
    """What a program has beside what it deletes, its settings have."""
    groups = {
        item.address for f in picture.foundations for cluster in f.clusters for item in cluster.node_groups
    }
    addresses = groups | {layer.address for layer in picture.layers}
    for address, changes in marks.items():
        whole = "#" not in address or address.startswith("cluster/")
        if whole and address not in addresses and {change.operation for change in changes} != {"delete"}:
            name = address.replace("#", ", node group ")
            raise InvalidDocument(
                f"The preview has {name}, which the settings here do not have: draw the checkout that was "
                "previewed."
            )


def _worst_first(change: Change) -> tuple[int, str]:
    return -[*OPERATIONS].index(change.operation), change.resource


def _unit(picture: Picture, changes: Changes, resource: Changed) -> str:
    """Address of the unit that a resource is of: its name begins with the place; or nothing."""
    if resource.layer not in LAYERS:
        return ""
    layer_addresses = {layer.address for layer in picture.layers} | changes.deployed
    if LAYERS[resource.layer].scope != "foundation":
        # A layer that goes, on a cluster that was known by another one.
        layer_addresses |= {
            f"{resource.layer}/{a.partition('/')[2]}" for a in layer_addresses if a.startswith("cluster/")
        }
    places = [
        address.partition("/")[2]
        for address in layer_addresses
        if address.partition("/")[0] == resource.layer
        and f"{resource.name}-".startswith(f"{address.partition('/')[2]}-")
    ]
    if not places and LAYERS[resource.layer].scope == "environment":
        # What stays where another cluster becomes home is named after the foundation.
        addresses = (layer.address.partition("/") for layer in picture.layers)
        places = [place for layer, _, place in addresses if layer == resource.layer]
    return f"{resource.layer}/{max(places, key=len)}" if places else ""


def _part(picture: Picture, unit: str, resource: Changed) -> str:
    """Name of the part of a unit that a resource is drawn in; nothing where it is only the unit's."""
    place = unit.partition("/")[2]
    rest = resource.name.removeprefix(place).removeprefix("-")
    zones = [zone for foundation in picture.foundations for zone in foundation.zones]
    match resource.types[0]:
        case "moka:aws:NodeGroup":
            return group_name(rest, zones)
        case "moka:aws:Bucket":
            return rest
    part = next(
        (part for start, part in PARTS.items() for type in resource.types if type.startswith(start)), ""
    )
    zone = next((zone for zone in zones if zone in rest), "")
    return zone or part if part == "network" else part


def _with_new(picture: Picture, deployed: set[str]) -> Picture:
    """The picture, with units that no stack has yet marked as new."""

    def of_layer(layer: Layer) -> Layer:
        return replace(layer, new=layer.address not in deployed)

    def of_cluster(cluster: Cluster) -> Cluster:
        return replace(cluster, layers=tuple(map(of_layer, cluster.layers)))

    def of_foundation(foundation: Foundation) -> Foundation:
        clusters = tuple(map(of_cluster, foundation.clusters))
        return replace(foundation, layer=of_layer(foundation.layer), clusters=clusters)

    return picture.with_foundations(of_foundation)


def _remarks(every: Sequence[Changes], elsewhere: Sequence[Change], stacks: Sequence[str]) -> Iterator[str]:
    for changes in every:
        marks = [Change(resource.operation, resource.name) for resource in changes.changed]
        yield f"Preview of stack {changes.stack}: {summary(marks)}."
    if elsewhere:
        names = [change.resource for change in elsewhere]
        more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
        yield f"In no layer, and not drawn: {', '.join(names[:LISTED])}{more}."
    if missing := sorted(set(stacks) - {changes.stack for changes in every}):
        yield f"Not previewed: {', '.join(missing)}."
