"""A preview of the engine, as far as the picture needs it: what changes, and in which layer.

`pulumi preview --json` has two forms, and both are read: one document, or an event a line, with
PULUMI_ENABLE_STREAMING_JSON_PREVIEW. Source: pulumi/pulumi v3.200.0, pkg/backend/display/json.go,
sdk/go/common/apitype/events.go.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from drawing.model import OPERATIONS, Operation
from drawing.ownership import Owners, Step, is_root
from moka.mistakes import InvalidDocument

# Operations of the engine: pulumi/pulumi v3.200.0, pkg/resource/deploy/step.go.
OPERATION: Mapping[str, Operation | None] = {
    "same": None,
    "read": None,
    "read-replacement": None,
    "refresh": None,
    "discard": None,
    "discard-replaced": None,
    "remove-pending-replace": None,
    "create": "create",
    "import": "create",
    "update": "update",
    "replace": "replace",
    "create-replacement": "replace",
    "import-replacement": "replace",
    "delete-replaced": "replace",
    "delete": "delete",
}

URN = re.compile(r"urn:pulumi:(?P<stack>[^:]+)::[^:]+::(?P<types>.+?)::(?P<name>.+)")

COUNTED = ("create", "update", "replace", "delete", "import")
"""Operations that the engine counts at the end; of others there may be more or fewer steps."""

REFUSED = "preview failed"
"""The engine's words where a policy refuses: the preview is whole then."""


@dataclass(frozen=True)
class Changed:
    """A resource that changes.

    types: its own type last, before it those of the components that it is in. layer: whose module registered
    it, or what it is in; nothing where that is not known. provider: name of its provider.
    """

    operation: Operation
    types: tuple[str, ...]
    name: str
    layer: str
    provider: str

    @property
    def title(self) -> str:
        """Its type in short, and its name."""
        *package, type = self.types[-1].split(":")
        return f"{'provider ' if 'providers' in package else ''}{type} {self.name}"


@dataclass(frozen=True)
class Preview:
    """A preview of one stack. deployed: addresses of the units that the stack has had until now."""

    stack: str
    changed: tuple[Changed, ...]
    deployed: frozenset[str]


def read(content: bytes | str, where: str) -> Preview:
    """The preview in a file; `where` names it in messages.

    Raises InvalidDocument when it is cut off or empty, failed, or of an engine that does otherwise.
    """
    documents = _documents(content, where)
    digest = documents[0] if len(documents) == 1 and "steps" in documents[0] else _digest(documents)
    steps = digest.get("steps")
    if not isinstance(steps, list) or not steps or not all(map(_is_step, steps)):
        raise InvalidDocument(
            f"{where} is no preview of the engine, or it is one without steps: "
            "write it with `pulumi preview --json`."
        )
    if error := next(_errors(digest), None):
        raise InvalidDocument(f"{where} is of a preview that failed, put that right first: {error}")
    for step in steps:
        if step["op"] not in OPERATION:
            raise InvalidDocument(
                f"{where} has operation {step['op']!r}, which only another engine knows: "
                "preview with the one that `make setup` installs."
            )
    _check_whole(digest, steps, where)
    stacks = sorted({_parts(step["urn"])["stack"] for step in steps})
    if len(stacks) > 1:
        raise InvalidDocument(f"{where} has steps of {', '.join(stacks)}: give a file for each stack.")
    owners = Owners(steps)
    return Preview(stacks[0], tuple(_changed(steps, owners)), owners.deployed)


def _check_whole(digest: Mapping[str, Any], steps: Sequence[Step], where: str) -> None:
    """The engine counts at the end: what is not there was cut off."""
    summary = digest.get("changeSummary")
    if not isinstance(summary, Mapping) or not all(isinstance(number, int) for number in summary.values()):
        raise InvalidDocument(f"{where} has no summary, so the preview did not end: preview again.")
    numbers = Counter(step["op"] for step in steps)
    for operation in COUNTED:
        if numbers[operation] < (summary.get(operation) or 0):
            raise InvalidDocument(
                f"{where} has {numbers[operation]} of {summary[operation]} steps to {operation}: it was cut "
                "off, so preview again."
            )


def _documents(content: bytes | str, where: str) -> list[dict[str, Any]]:
    """The one document, or that of each line."""
    try:
        text = content.decode() if isinstance(content, bytes) else content
        lines = text.strip().splitlines()
        if len(lines) > 1 and lines[0].endswith("}"):
            documents = list(map(json.loads, lines))
        else:
            documents = [json.loads(text)]
    except (ValueError, RecursionError) as error:
        raise InvalidDocument(
            f"{where} is no whole JSON document ({error}): write it anew with `pulumi preview --json`."
        ) from None
    return [document if isinstance(document, dict) else {} for document in documents]


def _digest(events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Events as the one document would have them; the outputs of the stack come last."""
    kinds = ("resourcePreEvent", "resOutputsEvent", "diagnosticEvent", "policyEvent", "summaryEvent")
    of_kind: dict[str, list[Any]] = {kind: [] for kind in kinds}
    for event in events:
        for kind in of_kind.keys() & event.keys():
            of_kind[kind].append(event[kind] if isinstance(event[kind], dict) else {})
    steps = [_step(event.get("metadata")) for event in of_kind["resourcePreEvent"]]
    ends = (_step(event.get("metadata")) for event in of_kind["resOutputsEvent"])
    steps += [step for step in ends if _is_step(step) and is_root(step)]
    refused = any(event.get("enforcementLevel") == "mandatory" for event in of_kind["policyEvent"])
    return {
        "steps": steps,
        "diagnostics": [
            event
            for event in of_kind["diagnosticEvent"]
            if not event.get("ephemeral") and not (refused and _message(event) == REFUSED)
        ],
        "changeSummary": of_kind["summaryEvent"][-1].get("resourceChanges")
        if of_kind["summaryEvent"]
        else None,
    }


def _step(metadata: Any) -> Any:
    if not isinstance(metadata, dict):
        return metadata
    return {**metadata, "oldState": metadata.get("old"), "newState": metadata.get("new")}


def _is_step(step: object) -> bool:
    return (
        isinstance(step, dict)
        and isinstance(step.get("op"), str)
        and isinstance(step.get("urn"), str)
        and step["urn"].isprintable()
        and URN.fullmatch(step["urn"]) is not None
        and all(isinstance(step.get(state) or {}, dict) for state in ("oldState", "newState"))
    )


def _parts(urn: str) -> re.Match[str]:
    match = URN.fullmatch(urn)
    assert match is not None, "every step was checked"
    return match


def _message(diagnostic: Mapping[str, Any]) -> str:
    """Its first line."""
    message = str(diagnostic.get("message", "")).strip().removeprefix("error:").strip()
    return message.partition("\n")[0]


def _errors(digest: Mapping[str, Any]) -> Iterator[str]:
    diagnostics = digest.get("diagnostics")
    for diagnostic in diagnostics if isinstance(diagnostics, list) else ():
        if isinstance(diagnostic, Mapping) and diagnostic.get("severity") == "error":
            yield _message(diagnostic) or "it does not say why"


def _changed(steps: Iterable[Step], owners: Owners) -> Iterator[Changed]:
    """Every resource that changes, once: a replacement has several steps."""
    operations: dict[str, Operation] = {}
    providers: dict[str, str] = {}
    for step in steps:
        operation = OPERATION[step["op"]]
        if operation and not is_root(step):
            worst = max(operation, operations.get(step["urn"], operation), key=[*OPERATIONS].index)
            operations[step["urn"]] = worst
            providers[step["urn"]] = str(step.get("provider") or "")
    for urn, operation in operations.items():
        parts = _parts(urn)
        # The provider's URN, and its id behind it.
        provider = providers[urn].rpartition("::")[0].rpartition("::")[2]
        types = tuple(parts["types"].split("$"))
        yield Changed(operation, types, parts["name"], owners.layer(urn, types[0], parts["name"]), provider)
