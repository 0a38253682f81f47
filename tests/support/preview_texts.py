"""Previews as the engine prints them, put together by hand in both forms."""

import json
from typing import Any


def step(stack: str, operation: str, layer: str, types: str, name: str, **more: object) -> dict[str, Any]:
    """A step of a preview, for a resource that the module of a layer registers."""
    place = [{"sourcePosition": f"project:///stacks/layers/{layer}.py#1"}]
    state = {"stackTrace": place, "custom": True, "provider": more.pop("provider", None)}
    sides = {"create": ["newState"], "import": ["newState"], "delete": ["oldState"]}
    states = dict.fromkeys(sides.get(operation, ["oldState", "newState"]), state)
    return {"op": operation, "urn": f"urn:pulumi:{stack}::moka::{types}::{name}", **states, **more}


def root(stack: str, *units: str, project: str = "moka") -> dict[str, Any]:
    """The step of the stack itself, which has these units already."""
    urn = f"urn:pulumi:{stack}::{project}::pulumi:pulumi:Stack::{project}-{stack}"
    outputs = {unit: {"resources": []} for unit in units}
    return {"op": "same", "urn": urn, "oldState": {"outputs": outputs}}


def printed(*steps: dict[str, Any], **more: object) -> str:
    """What the engine prints for these steps, as one document."""
    return json.dumps({"steps": steps, "changeSummary": {}, **more})


def streamed(
    *steps: dict[str, Any], outputs: dict[str, list[str]] | None = None, **more: dict[str, Any]
) -> str:
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
    units = {unit: {"resources": names} for unit, names in (outputs or {}).items()}
    ends = [{**metadata[0], "new": {"outputs": units}}] if metadata else []
    events = [
        *({"resourcePreEvent": {"metadata": data}} for data in metadata),
        *({"resOutputsEvent": {"metadata": end}} for end in ends),
        *({name: event} for name, event in more.items()),
        *([] if "summaryEvent" in more else [summary()]),
    ]
    return lines(*events)


def summary(**counted: int) -> dict[str, Any]:
    """The event at the end."""
    return {"summaryEvent": {"resourceChanges": counted, "isPreview": True}}


def lines(*events: dict[str, Any]) -> str:
    """Events, a line each."""
    stamped = ({"sequence": number, "timestamp": 0, **event} for number, event in enumerate(events))
    return "".join(f"{json.dumps(event)}\n" for event in stamped)
