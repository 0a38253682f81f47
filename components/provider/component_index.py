"""Which components are offered, and what each is called."""

import dataclasses
import inspect
import pkgutil
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, cast

import pulumi

from moka.components import aws, kubernetes
from moka.components.kubernetes.service import Service
from moka.components.provider.forms import Record, form_of, hints

PACKAGE = "moka"

WITHIN_OTHERS = (Service,)
"""What components of one kind have in common: none by itself."""


@dataclass(frozen=True)
class Offer:
    """A component as other languages see it.

    token: its Pulumi type, `moka:aws:Network`. inputs: form of its arguments; None where it takes none.
    """

    token: str
    component: type[pulumi.ComponentResource]
    inputs: Record | None

    @property
    def outputs(self) -> dict[str, Any]:
        """Name in Python of each output -> its annotation."""
        names = [name for name in _annotated_names(self.component) if not name.startswith("_")]
        annotations = hints(cast(Hashable, self.component))
        return {name: annotations[name] for name in names}


def _annotated_names(component: type[pulumi.ComponentResource]) -> list[str]:
    """Attributes that it and the components that it is one of declare, without those of every resource."""
    return [
        name
        for base in reversed(component.__mro__)
        if issubclass(base, pulumi.ComponentResource) and base is not pulumi.ComponentResource
        for name in inspect.get_annotations(base)
    ]


@cache
def offers() -> dict[str, Offer]:
    """Every component that is offered, by its token."""
    unsorted = (_offer(component) for component in _components())
    return {offer.token: offer for offer in sorted(unsorted, key=lambda offer: offer.token)}


def _offer(component: type[pulumi.ComponentResource]) -> Offer:
    # A component's module is in the folder of what it makes: moka.components.aws.network.
    folder = component.__module__.split(".")[2]
    arguments = hints(cast(Hashable, component.__init__)).get("args")
    inputs = form_of(arguments) if dataclasses.is_dataclass(arguments) else None
    assert inputs is None or isinstance(inputs, Record)
    return Offer(f"{PACKAGE}:{folder}:{component.__name__}", component, inputs)


def _components() -> Iterator[type[pulumi.ComponentResource]]:
    for package in (aws, kubernetes):
        for module in _modules(package):
            for value in vars(module).values():
                if (
                    inspect.isclass(value)
                    and issubclass(value, pulumi.ComponentResource)
                    and value.__module__ == module.__name__
                    and value not in WITHIN_OTHERS
                ):
                    yield value


def _modules(package: ModuleType) -> Iterator[ModuleType]:
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        yield import_module(module.name)
