"""Tests side by side: a module's stay together, and so do all that look at `local`, which is up once."""

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests of a group run in one process, in order: what a module or `local` needs is made once."""
    groups = {item: _group(item) for item in items}
    for item, group in groups.items():
        item.add_marker(pytest.mark.xdist_group(group))
    if hasattr(config, "workerinput"):
        # What takes longest begins first, so that all processes end at about the same time.
        items.sort(key=lambda item: (groups[item] != "local", "tests/local/" not in groups[item]))


def _group(item: pytest.Item) -> str:
    return "local" if "local" in getattr(item, "fixturenames", ()) else item.nodeid.partition("::")[0]
