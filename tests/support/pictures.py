"""Environments to draw, and previews as the engine prints them."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

import previews
from drawing.model import Picture
from previews import Preview
from stacks import settings
from stacks.settings import Environment
from tests.support.deployment import EXAMPLES
from tests.support.preview_texts import printed

TWO_ACCOUNTS = EXAMPLES / "two-accounts.yaml"
ENVIRONMENTS = [*settings.reading.environments(), "two-accounts"]

CHANGED = Path(__file__).resolve().parents[1] / "unit" / "drawing" / "data" / "local-changed.json.gz"
"""What the engine printed for `local` with `changed_settings`, without inputs and outputs of resources."""


def environment(name: str, change: Callable[[dict[str, Any]], object] = lambda _: None) -> Environment:
    """The settings of an environment, or those of the example in two accounts, with a change."""
    path = TWO_ACCOUNTS if name == "two-accounts" else settings.path_of(name)
    document = yaml.safe_load(path.read_text())
    change(document)
    return settings.parse(yaml.safe_dump(document, sort_keys=False), path.name)


def changed_settings() -> Environment:
    """`local` with fewer days of event logs, without shuffle, and with a node group under another name."""

    def change(document: dict[str, Any]) -> None:
        cluster = document["clusters"]["spark-a"]
        groups = cluster["node_groups"]
        groups["executor-x86"] = {**groups.pop("executor-amd64"), "desired": 3}
        del groups["shuffle"], cluster["shuffle"]
        document["retention"] = {"event_logs": 10}
        document["queues"]["organizations"]["analytics"]["projects"]["reports"]["tiers"][2][
            "max_applications"
        ] = 25

    return environment("local", change)


def changed_preview() -> Preview:
    """The engine's preview of these settings."""
    return previews.read(gzip.decompress(CHANGED.read_bytes()), "local.json")


def read(*steps: dict[str, Any]) -> Preview:
    """A preview with these steps."""
    return previews.read(printed(*steps))


def cluster_of(picture: Picture, name: str) -> Any:
    """A cluster of a picture."""
    return next(c for f in picture.foundations for c in f.clusters if c.name == name)
