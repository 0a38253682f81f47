"""Tests side by side: those of a module in one process, as those of a folder in which much is up once."""

import asyncio
import gc
import os

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

from moka.as_of import VARIABLE
from tests.support.calendar import TODAY

TOGETHER = (
    "tests/local/control_plane/",
    "tests/local/environment/",
    "tests/local/policies/",
    "tests/local/kubernetes/",
    "tests/soak/metrics/",
    "tests/unit/accounts/",
    "tests/unit/stacks/",
)
"""Folders of which one process tests each: all of its tests look at what is up, or rendered, once."""

FIRST = (*TOGETHER, "tests/local/")
"""What takes longest begins first, so that all end at about the same time."""

# A busy machine is no mistake of what is tested.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")


class ModuleScheduling(LoadScopeScheduling):
    """Shares out modules, in the order in which they are collected.

    By the module, as pytest-xdist 3.8 does not see groups with pytest 9 (`--dist loadgroup` needs `_nodeid`).
    """

    def _split_scope(self, nodeid: str) -> str:
        return next(filter(nodeid.startswith, TOGETHER), nodeid.partition("::")[0])


def pytest_configure() -> None:
    """Have `make` that tests run be the first one, whatever `make test` was told, the day the same, and
    garbage looked for seldom.
    """
    # Looking for garbage at every 700 objects takes a fifth of a test that brings up an environment.
    gc.set_threshold(20_000, 20, 20)
    os.environ[VARIABLE] = str(TODAY)
    for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "MAKEOVERRIDES", "ARGS"):
        os.environ.pop(name, None)


def pytest_runtest_setup() -> None:
    """Have an event loop for programs of Pulumi, which `asyncio.run` of a test before took away."""
    try:
        asyncio.get_event_loop_policy().get_event_loop()
    except RuntimeError:
        asyncio.set_event_loop(asyncio.new_event_loop())


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> ModuleScheduling:
    """How tests are shared out to processes."""
    return ModuleScheduling(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the tests in the order of `FIRST`, in several processes."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: [not item.nodeid.startswith(folder) for folder in FIRST])


def pytest_collection_finish() -> None:
    """Spare garbage collections the look at all that was collected, which stays to the end."""
    gc.collect()
    gc.freeze()
