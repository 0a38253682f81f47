"""Tests side by side: a module's stay together, and so do all that look at `local`, which is up once."""

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of a group run in one process, in order: what a module or `local` needs is made once."""
    for item in items:
        group = "local" if "local" in getattr(item, "fixturenames", ()) else item.nodeid.partition("::")[0]
        item.add_marker(pytest.mark.xdist_group(group))
