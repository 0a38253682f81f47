"""Environments as they are, each deployed once for all tests."""

from functools import cache

import pulumi
import pytest

from moka import catalog as charts
from stacks import program, settings
from stacks.site import ClusterSite
from stacks.slices import Slice, units


@pytest.fixture(scope="session")
def whole(deploy):
    """All of an environment in one stack: its name -> what its program asked for."""

    @cache
    def recorder_of(environment: str):
        loaded = settings.load(environment)
        return deploy(lambda: program.deploy(loaded, Slice(environment, frozenset(units(loaded)))))

    return recorder_of


def site(name, environment=None, **changes):
    """Where a layer of `local`, or of another environment, is deployed, without providers."""
    environment = environment or settings.load("local")
    return ClusterSite(
        **{
            "name": name,
            "settings": environment,
            "foundation": environment.foundations["main"],
            "catalog": charts.read(),
            "opts": pulumi.ResourceOptions(),
            "read": lambda layer, kind: None,
            "eks_name": f"moka-local-{name}",
            **changes,
        }
    )
