"""What `pulumi preview --json` prints, as far as the picture needs it: what changes, and in which layer."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from drawing.model import OPERATIONS, Operation
from moka.mistakes import InvalidDocument
from stacks.slices import RESOURCES

# Operations of the engine: pulumi/pulumi, sdk/go/common/display/types.go and pkg/resource/deploy/step.go.
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
LAYER = re.compile(r"/stacks/layers/(\w+)\.py\b")
STACK_TYPE = "pulumi:pulumi:Stack"

Step = dict[str, Any]


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
    document = _document(content, where)
    steps = document.get("steps")
    if not isinstance(steps, list) or not all(map(_is_step, steps)) or not steps:
        raise InvalidDocument(
            f"{where} is no preview of the engine, or it is one without steps: "
            "write it with `pulumi preview --json`."
        )
    if error := next(_errors(document), None):
        raise InvalidDocument(f"{where} is of a preview that failed, put that right first: {error}")
    for step in steps:
        if step["op"] not in OPERATION:
            raise InvalidDocument(
                f"{where} has operation {step['op']!r}, which only another engine knows: "
                "preview with the one that `make setup` installs."
            )
    stacks = {URN.fullmatch(step["urn"])["stack"] for step in steps}  # type: ignore[index]
    if len(stacks) > 1:
        raise InvalidDocument(
            f"{where} has steps of {', '.join(sorted(stacks))}: give a file for each stack."
        )
    outputs = _outputs(steps)
    return Preview(stacks.pop(), tuple(_changed(steps, outputs)), frozenset(outputs))


def _document(content: bytes | str, where: str) -> dict[str, Any]:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InvalidDocument(
            f"{where} is no whole JSON document ({error}): write it anew with `pulumi preview --json`."
        ) from None
    return document if isinstance(document, dict) else {}


def _is_step(step: object) -> bool:
    return (
        isinstance(step, dict)
        and isinstance(step.get("op"), str)
        and isinstance(step.get("urn"), str)
        and URN.fullmatch(step["urn"]) is not None
    )


def _errors(document: Mapping[str, Any]) -> Iterator[str]:
    for diagnostic in document.get("diagnostics") or []:
        if diagnostic.get("severity") == "error":
            message = str(diagnostic.get("message", "")).strip().removeprefix("error:").strip()
            yield message.partition("\n")[0] or "it does not say why"


def _state(step: Step) -> Mapping[str, Any]:
    return step.get("newState") or step.get("oldState") or {}


def _outputs(steps: Iterable[Step]) -> dict[str, list[str]]:
    """Address of each unit that the stack had -> its resources at the top, as `type::name`."""
    root = next((step for step in steps if f"::{STACK_TYPE}::" in step["urn"]), {})
    outputs = (root.get("oldState") or {}).get("outputs") or {}
    units = {name: value for name, value in outputs.items() if "/" in name}
    return {
        name: value.get(RESOURCES) or [] if isinstance(value, dict) else [] for name, value in units.items()
    }


def _changed(steps: Iterable[Step], outputs: Mapping[str, list[str]]) -> Iterator[Changed]:
    """Every resource that changes, once: a replacement has several steps."""
    by_urn = {step["urn"]: step for step in steps}
    worst: dict[str, Operation] = {}
    for step in steps:
        operation = OPERATION[step["op"]]
        if operation and f"::{STACK_TYPE}::" not in step["urn"]:
            names = [*OPERATIONS]
            worst[step["urn"]] = max(operation, worst.get(step["urn"], operation), key=names.index)
    for urn, operation in worst.items():
        match = URN.fullmatch(urn)
        assert match is not None, "every step was checked"
        types = tuple(match["types"].split("$"))
        layer = _layer(by_urn, urn) or _layer_of(outputs, types[0], match["name"])
        reference = str(by_urn[urn].get("provider") or "")
        provider = reference.split("::")[-2] if reference.count("::") > 2 else ""
        yield Changed(operation, types, match["name"], layer, provider)


def _layer(by_urn: Mapping[str, Step], urn: str) -> str:
    """The layer whose module registered a resource, or else what it is in: the engine writes down where."""
    while step := by_urn.get(urn):
        state = _state(step)
        for place in (state, *(state.get("stackTrace") or ())):
            if match := LAYER.search(str(place.get("sourcePosition", ""))):
                return match[1]
        urn = str(state.get("parent", ""))
    return ""


def _layer_of(outputs: Mapping[str, list[str]], type: str, name: str) -> str:
    """The layer of the unit that has a resource at the top of the stack, or what it is in."""
    names = {
        top.partition("::")[2]: address.partition("/")[0]
        for address, resources in outputs.items()
        for top in resources
        if top.partition("::")[0] == type and f"{name}-".startswith(f"{top.partition('::')[2]}-")
    }
    return names[max(names, key=len)] if names else ""
