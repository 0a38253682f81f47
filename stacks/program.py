"""An environment put together: the units of a slice are deployed, each after those that it reads."""

from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import groupby
from typing import Any, Protocol, cast

from moka import catalog
from stacks import sdk_tuning
from stacks.deployment import Deployment
from stacks.settings import Environment
from stacks.slices import Slice, Unit, units


class LayerModule(Protocol):
    """A module of `stacks/layers/`.

    Outputs: a flat dataclass of plain values or `pulumi.Output`s, which other layers are given.
    inputs: what the layer needs, of the settings and of what it reads -> a flat dataclass.
    deploy: registers the layer's resources.
    """

    Outputs: type[Any]
    inputs: Callable[[Any], Any]
    deploy: Callable[[Any, Any], Any]


def deploy(settings: Environment, piece: Slice) -> None:
    """Deploy what the slice holds of an environment, and export the outputs of each of its units.

    Raises CatalogError, before anything is registered, when the settings name a release that is not there.
    """
    charts = catalog.read(mirror=settings.charts.mirror, overrides=settings.charts.values)
    deployment = Deployment(settings, piece, charts)
    for place in _by_place(settings, piece):
        for unit in place:
            site, module = deployment.site(unit), layer_module(unit.layer)
            deployment.export(unit, module.deploy(site, module.inputs(site)))
        sdk_tuning.flush_registrations()


def layer_module(layer: str) -> LayerModule:
    """The module that deploys a layer."""
    return cast(LayerModule, import_module(f"stacks.layers.{layer}"))


def _by_place(settings: Environment, piece: Slice) -> Iterator[list[Unit]]:
    """The units of a slice: those of all foundations together, then those of each cluster."""
    ordered = [unit for unit in units(settings) if unit in piece.units]
    for _, group in groupby(ordered, key=lambda unit: (unit.row.scope == "foundation") or unit.place):
        yield list(group)
