"""Numbers of a cluster's settings, as series that rules and dashboards compare with what they see."""

from collections.abc import Iterable, Mapping
from typing import Any

import yaml

from moka.observability.series import SERIES_BYTES


def limits_yaml(clusters: Iterable[tuple[Mapping[str, int | None], Mapping[str, str]]]) -> str:
    """A file of rules that record each number under its name; None is not known, and left out.

    clusters: numbers of each, and labels of the series: whose limits they are.
    """
    rules: list[dict[str, Any]] = [
        {"record": name, "expr": f"vector({value})", "labels": dict(labels)}
        for limits, labels in clusters
        for name, value in limits.items()
        if value is not None
    ]
    return yaml.safe_dump({"groups": [{"name": "moka-limits", "rules": rules}]}, sort_keys=False)


def store_series(memory_gib: int) -> int:
    """Series that a Prometheus of this memory can have at once."""
    return memory_gib * 2**30 // SERIES_BYTES
