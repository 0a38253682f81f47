"""Environments to draw, and previews as the engine prints them."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from drawing import preview
from drawing.model import Picture
from stacks import settings
from stacks.settings import Environment
from tests.support.deployment import EXAMPLES

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


def changed_preview() -> preview.Preview:
    """The engine's preview of these settings."""
    return preview.read(gzip.decompress(CHANGED.read_bytes()), "local.json")


def step(stack: str, operation: str, layer: str, types: str, name: str, **more: object) -> dict[str, Any]:
    """A step of a preview, for a resource that the module of a layer registers."""
    place = [{"sourcePosition": f"project:///stacks/layers/{layer}.py#1"}]
    return {
        "op": operation,
        "urn": f"urn:pulumi:{stack}::moka::{types}::{name}",
        "oldState" if operation == "delete" else "newState": {"stackTrace": place},
        **more,
    }


def root(stack: str, *units: str) -> dict[str, Any]:
    """The step of the stack itself, which has these units already."""
    urn = f"urn:pulumi:{stack}::moka::pulumi:pulumi:Stack::moka-{stack}"
    outputs = {unit: {"resources": []} for unit in units}
    return {"op": "same", "urn": urn, "oldState": {"outputs": outputs}}


def printed(*steps: dict[str, Any], **more: object) -> str:
    """What the engine prints for these steps."""
    return json.dumps({"steps": steps, "changeSummary": {}, **more})


def streamed(*steps: dict[str, Any], outputs: dict[str, list[str]], **more: object) -> str:
    """The same as events, a line each: without places in the code, and with what the stack would have.

    outputs: address of a unit -> its resources at the top. more: events beside those of steps.
    """
    states = [(step, step.get("oldState"), step.get("newState")) for step in steps]
    metadata = [
        {
            "op": step["op"],
            "urn": step["urn"],
            "old": old and {**old, "stackTrace": None},
            "new": new and {**new, "stackTrace": None},
        }
        for step, old, new in states
    ]
    end = {**metadata[0], "new": {"outputs": {unit: {"resources": names} for unit, names in outputs.items()}}}
    events = [
        *({"resourcePreEvent": {"metadata": data}} for data in metadata),
        {"resOutputsEvent": {"metadata": end}},
        *({name: event} for name, event in more.items()),
        {"summaryEvent": {"resourceChanges": {}, "isPreview": True}},
    ]
    return "\n".join(json.dumps({"sequence": number, **event}) for number, event in enumerate(events))


def read(*steps: dict[str, Any]) -> preview.Preview:
    """A preview with these steps."""
    return preview.read(printed(*steps), "preview.json")


def cluster_of(picture: Picture, name: str) -> Any:
    """A cluster of a picture."""
    return next(c for f in picture.foundations for c in f.clusters if c.name == name)
