"""Slices: which units of an environment one Pulumi stack deploys, and which stack deploys the others.

A unit is a layer at one place: `foundation/main`, `spark/spark-a`, `history/spark-a`.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from graphlib import CycleError, TopologicalSorter

from moka.mistakes import InvalidDocument
from stacks.layer_table import HOME, LAYERS, Layer
from stacks.settings import Environment, SliceSettings
from stacks.settings.cluster import Cluster as ClusterSettings

RESOURCES = "resources"
"""Among the outputs of a unit: its resources at the top of the stack, as `type::name`.

What moves a unit to another stack knows by it what goes along.
"""


@dataclass(frozen=True, order=True)
class Unit:
    """A layer at one place: a foundation's name for the foundation, a cluster's name for all others."""

    layer: str
    place: str

    def __str__(self) -> str:
        return f"{self.layer}/{self.place}"

    @property
    def row(self) -> Layer:
        """The layer's row of the table."""
        return LAYERS[self.layer]


@dataclass(frozen=True)
class Slice:
    """What one stack deploys.

    stack: its name, `<environment>` or `<environment>.<slice>`.
    units: what it deploys.
    """

    stack: str
    units: frozenset[Unit]

    @property
    def clusters(self) -> frozenset[str]:
        """Clusters of which, or on which, the slice holds anything."""
        return frozenset(unit.place for unit in self.units if unit.row.scope != "foundation")


def units(settings: Environment) -> Iterator[Unit]:
    """Every unit of an environment, each after those that it reads: foundations, then cluster by cluster."""
    rows = LAYERS.values()
    for foundation in settings.foundations:
        yield from (Unit(row.name, foundation) for row in rows if row.scope == "foundation")
    for cluster in settings.clusters:
        yield from (Unit(row.name, cluster) for row in rows if _is_on(settings, cluster, row))


def _is_on(settings: Environment, cluster: str, row: Layer) -> bool:
    """Whether a cluster has a layer."""
    match row.scope:
        case "foundation":
            return False
        case "environment":
            return cluster == settings.home and _has(settings, row.when)
        case _:
            return _has(settings.clusters[cluster], row.when)


def _has(settings: Environment | ClusterSettings, section: str | None) -> bool:
    """Whether the settings have the section that a layer is for; every layer without one is there."""
    return section is None or getattr(settings, section) is not None


def unit_read(settings: Environment, unit: Unit, source: str) -> Unit | None:
    """The unit that `source`, something that a unit's layer reads, means for it; None where there is none."""
    if source == HOME:
        return Unit("foundation", settings.home_foundation)
    if LAYERS[source].scope == "foundation":
        return Unit(source, settings.clusters[unit.place].foundation)
    return Unit(source, unit.place) if _is_on(settings, unit.place, LAYERS[source]) else None


def recorded_units(settings: Environment, unit: Unit) -> Iterator[Unit]:
    """The units as which a stack may have a unit: itself, or where the home cluster was before."""
    yield unit
    if unit.row.keeps:
        foundation = settings.clusters[unit.place].foundation
        yield from (
            Unit(unit.layer, name)
            for name, cluster in settings.clusters.items()
            if name != unit.place and cluster.foundation == foundation
        )


def units_read(settings: Environment, unit: Unit) -> Iterator[Unit]:
    """The units whose outputs a unit is given."""
    yield from filter(None, map(partial(unit_read, settings, unit), unit.row.reads))


def providers(settings: Environment, unit: Unit) -> Iterator[str]:
    """The providers that a stack with this unit has, used or not, as `type::name`."""
    foundation = unit.place if unit.row.scope == "foundation" else settings.clusters[unit.place].foundation
    yield f"pulumi:providers:aws::{foundation}"
    if unit.row.on_cluster:
        yield f"pulumi:providers:kubernetes::{unit.place}"


def stack_of_units(pieces: Collection[Slice]) -> dict[Unit, str]:
    """Unit -> the stack that deploys it."""
    return {unit: piece.stack for piece in pieces for unit in piece.units}


def references(settings: Environment, pieces: Collection[Slice]) -> dict[str, list[str]]:
    """Stack -> the other stacks that it reads, which have to be up before it."""
    stacks = stack_of_units(pieces)
    return {
        piece.stack: sorted(
            {stacks[read] for unit in piece.units for read in units_read(settings, unit)} - {piece.stack}
        )
        for piece in pieces
    }


def slices(settings: Environment) -> dict[str, Slice]:
    """The slices of an environment by name; `""` is all of it, where the settings name none.

    Raises InvalidDocument when a unit is in no slice or in several, or stacks read each other in a circle.
    """
    everything = frozenset(units(settings))
    if not settings.slices:
        return {"": Slice(settings.environment, everything)}
    pieces = {
        name: Slice(
            f"{settings.environment}.{name}", frozenset(unit for unit in everything if _holds(piece, unit))
        )
        for name, piece in settings.slices.items()
    }
    mistakes = []
    where = f"stacks/{settings.environment}.yaml: slices"
    for unit in sorted(everything):
        holders = [name for name, piece in pieces.items() if unit in piece.units]
        if not holders:
            mistakes.append(f"{where}: {unit} is in none; add it to one.")
        if len(holders) > 1:
            mistakes.append(f"{where}: {unit} is in {' and '.join(holders)}; leave it in one.")
    if mistakes:
        raise InvalidDocument("\n".join(mistakes))
    if cycle := _cycle(references(settings, pieces.values())):
        raise InvalidDocument(
            f"{where}: {cycle[0]} reads {', which reads '.join(cycle[1:])}, so none can be the first: "
            "put the layers that are read into a slice that reads no other of these."
        )
    return pieces


def _cycle(references: Mapping[str, Collection[str]]) -> list[str]:
    """Stacks of which each reads the next, the first one again at the end; empty without a cycle."""
    try:
        TopologicalSorter(references).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []


def slice_named(settings: Environment, name: str) -> Slice:
    """The slice of this name. Raises InvalidDocument when there is none."""
    pieces = slices(settings)
    if name not in pieces:
        if "" in pieces:
            raise InvalidDocument(
                f"stacks/{settings.environment}.yaml names no slices, but the stack's is {name!r}: "
                "name it under slices, or take moka:slice out of the stack's Pulumi file."
            )
        raise InvalidDocument(
            f"The stack's slice is {name!r}, but stacks/{settings.environment}.yaml names only "
            f"{', '.join(pieces)}: set moka:slice in the stack's Pulumi file to one of them."
        )
    return pieces[name]


def _holds(piece: SliceSettings, unit: Unit) -> bool:
    if unit.row.scope == "foundation":
        return unit.layer in piece.layers
    return (not piece.layers or unit.layer in piece.layers) and (
        not piece.clusters or unit.place in piece.clusters
    )
