"""Environments as they are, each deployed once for all tests."""

from functools import cache

import pytest

from stacks import program, settings
from stacks.slices import Slice, units


@pytest.fixture(scope="session")
def whole(deploy):
    """All of an environment in one stack: its name -> what its program asked for."""

    @cache
    def recorder_of(environment: str):
        loaded = settings.load(environment)
        return deploy(lambda: program.deploy(loaded, Slice(environment, frozenset(units(loaded)))))

    return recorder_of
