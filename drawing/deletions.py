"""What previews delete and the settings have no more, added to a picture where it was."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from drawing.model import Account, Change, Cluster, Foundation, Layer, NodeGroup, Part, Picture

REMOVED = "removed"

Marks = Mapping[str, Sequence[Change]]


def with_deletions(picture: Picture, marks: Marks, standing: Mapping[str, str]) -> Picture:
    """The picture with every unit and part that has marks.

    standing: address of a unit on a cluster that goes -> the foundation whose provider made its resources.
    """
    addresses = {layer.address for layer in picture.layers}
    units = [
        Layer(address, removed=True) for address in marks if "#" not in address and address not in addresses
    ]
    places = {foundation.layer.place for foundation in picture.foundations}
    gone = [Foundation(region=REMOVED, layer=unit) for unit in units if unit.name == "foundation"]
    first = next(picture.foundations).layer.place
    by_foundation: dict[str, list[Layer]] = {}
    homes = {c.name: f.layer.place for f in picture.foundations for c in f.clusters}
    for unit in units:
        if unit.name != "foundation":
            place = homes.get(unit.place) or standing.get(f"cluster/{unit.place}") or first
            by_foundation.setdefault(place if place in places else first, []).append(unit)
    accounts = [
        replace(
            account,
            foundations=tuple(
                _foundation(foundation, by_foundation.get(foundation.layer.place, []), marks)
                for foundation in account.foundations
            ),
        )
        for account in picture.accounts
    ]
    if gone:
        accounts.append(Account(REMOVED, tuple(_foundation(item, [], marks) for item in gone)))
    return replace(picture, accounts=tuple(accounts))


def _foundation(foundation: Foundation, units: Sequence[Layer], marks: Marks) -> Foundation:
    """A foundation with units that go from its clusters, and with parts that only the preview knows."""
    network = foundation.network
    parts = [*foundation.data, *((*network.zones, *network.ways) if network else ())]
    addresses = {part.address for part in parts} | {network.address if network else ""}
    data = [
        Part(address, name, removed={change.operation for change in marks[address]} == {"delete"})
        for address, name in _parts(marks, foundation.layer.address, addresses)
    ]
    names = [cluster.name for cluster in foundation.clusters]
    new = dict.fromkeys(unit.place for unit in units if unit.place not in names)
    clusters = [*foundation.clusters, *(Cluster(name=name, facts=REMOVED, removed=True) for name in new)]
    return replace(
        foundation,
        data=(*foundation.data, *data),
        clusters=tuple(_cluster(cluster, units, marks) for cluster in clusters),
    )


def _cluster(cluster: Cluster, units: Sequence[Layer], marks: Iterable[str]) -> Cluster:
    """A cluster with layers and node groups that go."""
    addresses = {group.address for group in cluster.node_groups}
    groups = [
        NodeGroup(address=address, name=name, nodes=REMOVED, removed=True)
        for address, name in _parts(marks, f"cluster/{cluster.name}", addresses)
    ]
    return replace(
        cluster,
        layers=(*cluster.layers, *(unit for unit in units if unit.place == cluster.name)),
        node_groups=(*cluster.node_groups, *groups),
    )


def _parts(marks: Iterable[str], unit: str, addresses: set[str]) -> list[tuple[str, str]]:
    """Address and name of the parts of a unit that have marks and are not known."""
    return [
        (address, address.partition("#")[2])
        for address in marks
        if address.startswith(f"{unit}#") and address not in addresses
    ]
