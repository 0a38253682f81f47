"""Environments as they are, each deployed once for all tests, and layers of others."""

from collections.abc import Callable, Iterable
from functools import cache

import pytest

from stacks import program, settings
from stacks.layer_table import HOME, LAYERS
from stacks.settings import Environment
from stacks.slices import Slice, units
from tests.support.recorder import Recorder


@pytest.fixture(scope="session")
def whole(layers) -> Callable[[str], Recorder]:
    """All of an environment in one stack: its name -> what its program asked for."""
    return cache(lambda environment: layers(settings.load(environment), *LAYERS))


@pytest.fixture(scope="session")
def layers(deploy) -> Callable[..., Recorder]:
    """Deploy layers, and those that they read: an environment, names -> what the program asked for."""

    def recorder_of(environment: Environment, *names: str) -> Recorder:
        needed = with_those_read(names)
        deployed = frozenset(unit for unit in units(environment) if unit.layer in needed)
        return deploy(lambda: program.deploy(environment, Slice(environment.environment, deployed)))

    return recorder_of


def with_those_read(names: Iterable[str]) -> set[str]:
    """Layers, those that they read, and so on."""
    needed = set(names)
    for layer in reversed(LAYERS.values()):
        if layer.name in needed:
            needed |= {"foundation" if name == HOME else name for name in layer.reads}
    return needed
