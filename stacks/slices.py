"""Slices: which units of an environment one Pulumi stack deploys, and which stack deploys the others.

A unit is a layer at one place: `foundation/main`, `spark/spark-a`, `history/spark-a`.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Literal, get_args

from stacks.settings import Environment, InvalidDocument, LayerName, SliceSettings

LAYERS: tuple[LayerName, ...] = get_args(LayerName)
"""All layers, each after those that it stands on."""

Source = LayerName | Literal["home"]

READS: dict[LayerName, tuple[Source, ...]] = {
    "foundation": (),
    "cluster": ("foundation",),
    "scheduling": ("cluster",),
    "shuffle": ("cluster",),
    "access": ("cluster", "foundation"),
    "spark": ("cluster", "foundation", "shuffle", "access", "home"),
    "logs": ("cluster", "foundation"),
    "metrics": ("cluster",),
    "history": ("cluster", "access", "home"),
}
"""Whose outputs a layer is given: layers of its cluster, the foundation below it, the one at `home`."""

RESOURCES = "resources"
"""Among the outputs of a unit: its resources at the top of the stack, as `type::name`.

What moves a unit to another stack knows by it what goes along.
"""


@dataclass(frozen=True, order=True)
class Unit:
    """A layer at one place: a foundation's name for the foundation, a cluster's name for all others."""

    layer: LayerName
    place: str

    def __str__(self) -> str:
        return f"{self.layer}/{self.place}"


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
        return frozenset(unit.place for unit in self.units if unit.layer != "foundation")

    def touches(self, cluster: str) -> bool:
        """Whether anything of or on this cluster is in the slice."""
        return cluster in self.clusters


def units(settings: Environment) -> Iterator[Unit]:
    """Every unit of an environment: foundations, the layers of each cluster, history at home."""
    for name in settings.foundations:
        yield Unit("foundation", name)
    for name in settings.clusters:
        for layer in LAYERS:
            if layer == "foundation" or (layer == "history" and name != settings.home):
                continue
            if layer == "shuffle" and settings.clusters[name].shuffle is None:
                continue
            yield Unit(layer, name)


def reads(settings: Environment, unit: Unit) -> Iterator[Unit]:
    """The units whose outputs this one is given."""
    for source in READS[unit.layer]:
        if source == "home":
            yield Unit("foundation", settings.home_foundation)
        elif source == "foundation":
            yield Unit("foundation", settings.clusters[unit.place].foundation)
        elif source != "shuffle" or settings.clusters[unit.place].shuffle is not None:
            yield Unit(source, unit.place)


def providers(settings: Environment, unit: Unit) -> Iterator[str]:
    """The providers that a stack with this unit has, used or not, as `type::name`."""
    on_cluster = unit.layer not in ("foundation", "cluster")
    foundation = unit.place if unit.layer == "foundation" else settings.clusters[unit.place].foundation
    yield f"pulumi:providers:aws::{foundation}"
    if on_cluster:
        yield f"pulumi:providers:kubernetes::{unit.place}"


def references(settings: Environment, pieces: Collection[Slice]) -> dict[str, list[str]]:
    """Stack -> the other stacks that it reads, which have to be there before it."""
    holders = {unit: piece.stack for piece in pieces for unit in piece.units}
    read = {
        piece.stack: {holders[read] for unit in piece.units for read in reads(settings, unit)}
        for piece in pieces
    }
    return {stack: sorted(others - {stack}) for stack, others in read.items()}


def slices(settings: Environment) -> dict[str, Slice]:
    """The slices of an environment by name; `""` is all of it, where the settings name none.

    Raises InvalidDocument when a unit is in no slice or in several, or stacks read each other in a circle.
    """
    everything = frozenset(units(settings))
    if not settings.slices:
        return {"": Slice(settings.environment, everything)}
    made = {
        name: Slice(f"{settings.environment}.{name}", frozenset(u for u in everything if _holds(piece, u)))
        for name, piece in settings.slices.items()
    }
    wrong = []
    where = f"stacks/{settings.environment}.yaml: slices"
    for unit in sorted(everything):
        holders = [name for name, piece in made.items() if unit in piece.units]
        if not holders:
            wrong.append(f"{where}: {unit} is in none; add it to one.")
        if len(holders) > 1:
            wrong.append(f"{where}: {unit} is in {' and '.join(holders)}; leave it in one.")
    if wrong:
        raise InvalidDocument("\n".join(wrong))
    if circle := _circle(references(settings, made.values())):
        raise InvalidDocument(
            f"{where}: {circle[0]} reads {', which reads '.join(circle[1:])}, and none can be the first: "
            "put the layers that are read into a slice that reads no other of these."
        )
    return made


def _circle(read: dict[str, list[str]]) -> list[str]:
    """Stacks each of which reads the next, the first one again at the end; none when there is no circle."""
    try:
        TopologicalSorter(read).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []


def slice_named(settings: Environment, name: str) -> Slice:
    """The slice of this name. Raises InvalidDocument when there is none."""
    known = slices(settings)
    if name not in known:
        if "" in known:
            raise InvalidDocument(
                f"stacks/{settings.environment}.yaml names no slices, and the stack asks for {name!r}: "
                "name it under slices, or take moka:slice out of the stack's Pulumi file."
            )
        raise InvalidDocument(
            f"The stack asks for slice {name!r} of stacks/{settings.environment}.yaml, which names "
            f"{', '.join(known)}: set moka:slice in the stack's Pulumi file to one of them."
        )
    return known[name]


def _holds(piece: SliceSettings, unit: Unit) -> bool:
    if unit.layer == "foundation":
        return "foundation" in piece.layers
    return (not piece.layers or unit.layer in piece.layers) and (
        not piece.clusters or unit.place in piece.clusters
    )
