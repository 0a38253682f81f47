"""Kubernetes objects as a program declares them, beside what the API server keeps of them; all pure."""

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from localcloud.plugins.differences import PropertyPath
from localcloud.plugins.values import UNKNOWN, Properties, Secret, reveal, secret_in, without_nulls

AUTONAMED = "pulumi.com/autonamed"
SKIP_AWAIT = "pulumi.com/skipAwait"
WAIT_FOR = "pulumi.com/waitFor"
TIMEOUT = "pulumi.com/timeoutSeconds"
PATCH_FORCE = "pulumi.com/patchForce"
FIELD_MANAGER = "pulumi.com/patchFieldManager"
DELETION = "pulumi.com/deletionPropagationPolicy"
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"

READ_ONLY = (
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
)
"""Of an object's metadata, what only the API server sets."""

MERGE_KEYS = ("name", "key", "containerPort", "port", "mountPath", "type", "ip")
"""What tells the items of a list of objects from one another, as far as they all have it."""

DASHED = {
    name.replace("-", "_"): name
    for name in (
        "x-kubernetes-embedded-resource",
        "x-kubernetes-int-or-string",
        "x-kubernetes-list-map-keys",
        "x-kubernetes-list-type",
        "x-kubernetes-map-type",
        "x-kubernetes-preserve-unknown-fields",
        "x-kubernetes-validations",
    )
}
"""Fields of a schema that the SDK spells otherwise than Kubernetes does."""

UNDERSCORED = {dashed: name for name, dashed in DASHED.items()}

QUANTITIES = frozenset(
    (
        "capacity",
        "default",
        "defaultRequest",
        "hard",
        "limits",
        "max",
        "min",
        "overhead",
        "requests",
        "sizeLimit",
    )
)
"""Fields that hold quantities, which can be written in more than one way."""

POWERS = {
    **{suffix: Decimal(1000) ** power for power, suffix in enumerate(("k", "M", "G", "T", "P", "E"), 1)},
    **{
        suffix: Decimal(1024) ** power for power, suffix in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), 1)
    },
    **{suffix: Decimal(1000) ** -power for power, suffix in enumerate(("m", "u", "n"), 1)},
}
"""Suffixes of quantities."""


def renamed(value: Any, names: Mapping[str, str]) -> Any:
    """The value with fields renamed, at any depth."""
    if isinstance(value, dict):
        return {names.get(name, name): renamed(item, names) for name, item in value.items()}
    if isinstance(value, list):
        return [renamed(item, names) for item in value]
    if isinstance(value, Secret):
        return Secret(renamed(value.value, names))
    return value


def manifest(inputs: Properties) -> dict[str, Any]:
    """What is sent to the API server for a resource's inputs."""
    thing: dict[str, Any] = without_nulls(renamed(reveal(inputs), DASHED))
    return thing


def metadata(thing: Mapping[str, Any]) -> dict[str, Any]:
    """An object's metadata, {} where it has none or none that is known."""
    found = reveal(thing.get("metadata"))
    return found if isinstance(found, dict) else {}


def annotation(thing: Mapping[str, Any], name: str) -> str | None:
    """An annotation of an object."""
    found = metadata(thing).get("annotations")
    value = found.get(name) if isinstance(found, dict) else None
    return value if isinstance(value, str) else None


def asks(thing: Mapping[str, Any], name: str) -> bool:
    """Whether an annotation is set to true."""
    return (annotation(thing, name) or "").lower() == "true"


def name_of(thing: Mapping[str, Any]) -> Any:
    """Name of an object; None where it has none."""
    return metadata(thing).get("name")


def with_metadata(inputs: Properties, **changes: Any) -> Properties:
    """Inputs with fields of their metadata set; an annotation mapping is added to those that are there."""
    found = inputs.get("metadata")
    held = found.value if isinstance(found, Secret) else found
    if held is UNKNOWN:
        return inputs
    merged = dict(held or {})
    for name, value in changes.items():
        if isinstance(value, dict):
            before = merged.get(name)
            before = before.value if isinstance(before, Secret) else before
            merged[name] = {**before, **value} if isinstance(before, dict) else dict(value)
        else:
            merged[name] = value
    return {**inputs, "metadata": Secret(merged) if isinstance(found, Secret) else merged}


def without_read_only(inputs: Properties) -> Properties:
    """Inputs without what only the API server sets."""
    found = inputs.get("metadata")
    if not isinstance(found, dict) or not any(name in found for name in READ_ONLY):
        return inputs
    return {**inputs, "metadata": {name: value for name, value in found.items() if name not in READ_ONLY}}


def identity(namespace: str | None, name: str) -> str:
    """A resource's id: `namespace/name`, or only the name where there is no namespace."""
    return f"{namespace}/{name}" if namespace else name


def parted(id: str) -> tuple[str | None, str]:
    """Namespace and name of an id."""
    namespace, _, name = id.rpartition("/")
    return namespace or None, name


def manager_of(urn: str) -> str:
    """Field manager of a resource.

    Made from its URN, so that an object whose creation was cut off is known to be this resource's own.
    """
    return f"pulumi-kubernetes-{hashlib.sha256(urn.encode()).hexdigest()[:8]}"


def applied_by(live: Mapping[str, Any], manager: str) -> bool:
    """Whether a field manager has applied the object."""
    return any(
        entry.get("manager") == manager and entry.get("operation") == "Apply"
        for entry in metadata(live).get("managedFields") or []
    )


def secret_as(pattern: Any, value: Any) -> Any:
    """A value, secret wherever the pattern is."""
    if isinstance(pattern, Secret):
        return Secret(value)
    if isinstance(pattern, dict) and isinstance(value, dict):
        return {name: secret_as(pattern.get(name), item) for name, item in value.items()}
    if isinstance(pattern, list) and isinstance(value, list):
        if len(pattern) == len(value):
            return [secret_as(like, item) for like, item in zip(pattern, value, strict=True)]
        # Which item holds the secret now cannot be told, so none of them is shown.
        return Secret(value) if secret_in(pattern) else value
    return value


def outputs(inputs: Properties, live: Mapping[str, Any], manager: str) -> Properties:
    """What the state keeps of a live object: all of it, secret where the inputs are."""
    shown: Properties = secret_as(inputs, renamed(dict(live), UNDERSCORED))
    if live.get("kind") == "Secret" and live.get("apiVersion") == "v1":
        for name in ("data", "stringData"):
            if shown.get(name) is not None and not isinstance(shown[name], Secret):
                shown[name] = Secret(reveal(shown[name]))
    api_version = inputs.get("apiVersion") or live.get("apiVersion")
    return {**shown, "__initialApiVersion": api_version, "__fieldManager": manager}


def drifted(inputs: Properties, live: Mapping[str, Any]) -> Properties:
    """Inputs as they would have to be for the object to be as it is.

    A field that still means what was asked for stays as it was written; one that was changed by hand, or
    removed, follows the object. What others added is theirs.
    """
    shown = renamed(dict(live), UNDERSCORED)
    now: Properties = {}
    for name, asked in inputs.items():
        if name == "stringData" and live.get("kind") == "Secret":
            now[name] = _string_data(asked, shown.get("data") or {})
        elif name in shown:
            now[name] = _drifted(asked, shown[name], (name,))
    return now


def _string_data(asked: Any, data: Mapping[str, str]) -> Any:
    hidden = isinstance(asked, Secret)
    found = {name: _decoded(data[name]) for name in reveal(asked) or {} if name in data}
    return Secret(found) if hidden else secret_as(asked, found)


def _decoded(text: str) -> str:
    try:
        return base64.b64decode(text).decode()
    except (binascii.Error, UnicodeDecodeError):
        return text


def _drifted(asked: Any, live: Any, path: PropertyPath) -> Any:
    if isinstance(asked, Secret):
        return Secret(_drifted(asked.value, live, path))
    if isinstance(asked, dict) and isinstance(live, dict):
        now = {}
        for name, item in asked.items():
            if name in live:
                now[name] = _drifted(item, live[name], (*path, name))
            elif _empty(item):
                now[name] = item
        return now
    if isinstance(asked, list) and isinstance(live, list):
        return _drifted_list(asked, live, path)
    return asked if asked == live or means_the_same(path, asked, live) else live


def _drifted_list(asked: list[Any], live: list[Any], path: PropertyPath) -> list[Any]:
    plain = [reveal(item) for item in asked]
    key = next((key for key in MERGE_KEYS if _tells_apart(key, plain) and _tells_apart(key, live)), None)
    if key:
        by_key = {item[key]: item for item in live}
        return [
            _drifted(item, by_key[known[key]], (*path, index))
            for index, (item, known) in enumerate(zip(asked, plain, strict=True))
            if known[key] in by_key
        ]
    if len(asked) == len(live):
        both = zip(asked, live, strict=True)
        return [_drifted(item, now, (*path, index)) for index, (item, now) in enumerate(both)]
    return live


def _tells_apart(key: str, items: list[Any]) -> bool:
    if not items or not all(
        isinstance(item, dict) and isinstance(item.get(key), str | int) for item in items
    ):
        return False
    return len({item[key] for item in items}) == len(items)


def _empty(value: Any) -> bool:
    """Whether the API server may leave the value out: it means the same as nothing."""
    value = reveal(value)
    return value is None or value is False or value == "" or value == 0 or value == {} or value == []


def means_the_same(path: PropertyPath, one: Any, other: Any) -> bool:
    """Whether two values of a field that are not equal mean the same to Kubernetes."""
    if one is None or other is None:
        return path[:1] == ("metadata",) and _empty(one) and _empty(other)
    if not QUANTITIES.intersection(path[-2:]):
        return False
    first, second = _quantity(one), _quantity(other)
    return first is not None and first == second


def _quantity(value: Any) -> Decimal | None:
    """The number that a Kubernetes quantity (`500m`, `1Gi`) stands for."""
    text = str(value)
    for suffix in (text[-2:], text[-1:]):
        if suffix in POWERS:
            return _scaled(text[: -len(suffix)], POWERS[suffix])
    return _scaled(text, Decimal(1))


def _scaled(text: str, factor: Decimal) -> Decimal | None:
    try:
        return Decimal(text) * factor
    except InvalidOperation:
        return None


def imported(live: Mapping[str, Any]) -> Properties:
    """Inputs for an object that no program declared yet: what people asked for, without what was filled in.

    That is told, in this order, by `kubectl apply`'s annotation, by the fields of those who applied the
    object, and, where neither is there, by all of it.
    """
    said = annotation(live, LAST_APPLIED)
    if said:
        asked = json.loads(said)
        asked.get("metadata", {}).get("annotations", {}).pop(LAST_APPLIED, None)
        return _tidy(
            {**asked, "metadata": _drifted(asked.get("metadata") or {}, metadata(live), ("metadata",))}, live
        )
    applied = [
        entry.get("fieldsV1") or {}
        for entry in metadata(live).get("managedFields") or []
        if entry.get("operation") == "Apply" and not entry.get("subresource")
    ]
    if not applied:
        return _tidy({name: value for name, value in live.items() if name != "status"}, live)
    owned: dict[str, Any] = {}
    for fields in applied:
        _merge(owned, fields)
    return _tidy(_owned(dict(live), owned), live)


def _tidy(inputs: dict[str, Any], live: Mapping[str, Any]) -> Properties:
    kept = {name: value for name, value in metadata(inputs).items() if name not in READ_ONLY and value != {}}
    for name in ("name", "namespace"):
        if metadata(live).get(name):
            kept[name] = metadata(live)[name]
    said = {"apiVersion": live.get("apiVersion"), "kind": live.get("kind"), "metadata": kept}
    shown: Properties = renamed({**inputs, **said}, UNDERSCORED)
    return shown


def _merge(into: dict[str, Any], other: Mapping[str, Any]) -> None:
    for name, value in other.items():
        _merge(into.setdefault(name, {}), value)


def _owned(live: Any, fields: Mapping[str, Any]) -> Any:
    """The part of an object that managed fields (`f:spec`, `k:{"name":"x"}`, `v:"x"`) name."""
    inner = {name: value for name, value in fields.items() if name != "."}
    if not inner:
        return live
    if isinstance(live, dict):
        return {
            name[2:]: _owned(live[name[2:]], value)
            for name, value in inner.items()
            if name.startswith("f:") and name[2:] in live
        }
    if isinstance(live, list):
        return [item for name, value in inner.items() for item in _owned_items(live, name, value)]
    return live


def _owned_items(live: list[Any], name: str, fields: Mapping[str, Any]) -> list[Any]:
    if name.startswith("v:"):
        return [item for item in live if item == json.loads(name[2:])]
    if name.startswith("k:"):
        key = json.loads(name[2:])
        return [
            {**{each: value for each, value in key.items() if each in item}, **_owned(item, fields)}
            for item in live
            if isinstance(item, dict) and all(item.get(each, value) == value for each, value in key.items())
        ]
    return []
