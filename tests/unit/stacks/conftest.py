"""Environments as they are, each deployed once for all tests."""

from functools import cache

import pytest

from stacks import program, settings
from stacks.slices import Slice, units


@pytest.fixture(scope="session")
def whole(deploy):
    """All of an environment in one stack: its name -> what its program asked for."""

    @cache
    def made(environment: str):
        chosen = settings.load(environment)
        return deploy(lambda: program.deploy(chosen, Slice(environment, frozenset(units(chosen)))))

    return made
