"""Kubernetes objects as a program declares them, and as the API server has them; pure functions."""

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping
from decimal import InvalidOperation
from typing import Any

from localcloud.plugins.differences import PropertyPath
from localcloud.plugins.values import UNKNOWN, Properties, Secret, reveal, secret_in, without_nulls
from localcloud.quantities import quantity

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
"""Fields of an object's metadata that only the API server sets."""

MERGE_KEYS = ("name", "key", "containerPort", "port", "mountPath", "type", "ip")
"""Fields that identify the items of a list of objects, if all items have them."""

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
"""Fields of a schema that the SDK spells differently."""

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


def rename_fields(value: Any, names: Mapping[str, str]) -> Any:
    """The value with fields renamed, at any depth."""
    if isinstance(value, dict):
        return {names.get(name, name): rename_fields(item, names) for name, item in value.items()}
    if isinstance(value, list):
        return [rename_fields(item, names) for item in value]
    if isinstance(value, Secret):
        return Secret(rename_fields(value.value, names))
    return value


def manifest(inputs: Properties) -> dict[str, Any]:
    """The object to send to the API server for a resource's inputs."""
    thing: dict[str, Any] = without_nulls(rename_fields(reveal(inputs), DASHED))
    return thing


def metadata(thing: Mapping[str, Any]) -> dict[str, Any]:
    """An object's metadata; {} where it has none, or it is unknown."""
    value = reveal(thing.get("metadata"))
    return value if isinstance(value, dict) else {}


def annotation(thing: Mapping[str, Any], name: str) -> str | None:
    """An annotation of an object."""
    annotations = metadata(thing).get("annotations")
    value = annotations.get(name) if isinstance(annotations, dict) else None
    return value if isinstance(value, str) else None


def enabled(thing: Mapping[str, Any], name: str) -> bool:
    """Whether an annotation is set to true."""
    return (annotation(thing, name) or "").lower() == "true"


def name_of(thing: Mapping[str, Any]) -> Any:
    """Name of an object; None where it has none."""
    return metadata(thing).get("name")


def with_metadata(inputs: Properties, **changes: Any) -> Properties:
    """Inputs with fields of their metadata set; mappings are merged into existing ones."""
    old = inputs.get("metadata")
    plain = old.value if isinstance(old, Secret) else old
    if plain is UNKNOWN:
        return inputs
    metadata = dict(plain or {})
    for name, value in changes.items():
        if isinstance(value, dict):
            current = metadata.get(name)
            current = current.value if isinstance(current, Secret) else current
            metadata[name] = {**current, **value} if isinstance(current, dict) else dict(value)
        else:
            metadata[name] = value
    return {**inputs, "metadata": Secret(metadata) if isinstance(old, Secret) else metadata}


def without_read_only(inputs: Properties) -> Properties:
    """Inputs without fields that only the API server sets."""
    fields = inputs.get("metadata")
    if not isinstance(fields, dict) or not any(name in fields for name in READ_ONLY):
        return inputs
    return {**inputs, "metadata": {name: value for name, value in fields.items() if name not in READ_ONLY}}


def identity(namespace: str | None, name: str) -> str:
    """A resource's id: `namespace/name`, or only the name where there is no namespace."""
    return f"{namespace}/{name}" if namespace else name


def split_id(id: str) -> tuple[str | None, str]:
    """Namespace and name of an id."""
    namespace, _, name = id.rpartition("/")
    return namespace or None, name


def manager_of(urn: str) -> str:
    """Field manager of a resource, the same at each of its requests."""
    return f"pulumi-kubernetes-{hashlib.sha256(urn.encode()).hexdigest()[:8]}"


def mark_secrets(pattern: Any, value: Any) -> Any:
    """A value, secret wherever the pattern is."""
    if isinstance(pattern, Secret):
        return Secret(value)
    if isinstance(pattern, dict) and isinstance(value, dict):
        return {name: mark_secrets(pattern.get(name), item) for name, item in value.items()}
    if isinstance(pattern, list) and isinstance(value, list):
        if len(pattern) == len(value):
            return [mark_secrets(like, item) for like, item in zip(pattern, value, strict=True)]
        # It is unknown which item holds the secret now, so none of them is shown.
        return Secret(value) if secret_in(pattern) else value
    return value


def outputs(inputs: Properties, live: Mapping[str, Any], manager: str) -> Properties:
    """Outputs of a live object: all of it, secret where the inputs are."""
    fields: Properties = mark_secrets(inputs, rename_fields(dict(live), UNDERSCORED))
    if live.get("kind") == "Secret" and live.get("apiVersion") == "v1":
        for name in ("data", "stringData"):
            if fields.get(name) is not None and not isinstance(fields[name], Secret):
                fields[name] = Secret(reveal(fields[name]))
    api_version = inputs.get("apiVersion") or live.get("apiVersion")
    return {**fields, "__initialApiVersion": api_version, "__fieldManager": manager}


def actual_inputs(inputs: Properties, live: Mapping[str, Any]) -> Properties:
    """Inputs as they would have to be for the object to be as it is.

    A field that still has the same meaning stays as it was written; one that was changed by hand, or
    removed, follows the object. Fields that others added are not inputs.
    """
    fields = rename_fields(dict(live), UNDERSCORED)
    actual: Properties = {}
    for name, value in inputs.items():
        if name == "stringData" and live.get("kind") == "Secret":
            actual[name] = _string_data(value, fields.get("data") or {})
        elif name in fields:
            actual[name] = _actual(value, fields[name], (name,))
    return actual


def _string_data(value: Any, data: Mapping[str, str]) -> Any:
    actual = {name: _decode(data[name]) for name in reveal(value) or {} if name in data}
    return Secret(actual) if isinstance(value, Secret) else mark_secrets(value, actual)


def _decode(text: str) -> str:
    try:
        return base64.b64decode(text).decode()
    except (binascii.Error, UnicodeDecodeError):
        return text


def _actual(value: Any, live: Any, path: PropertyPath) -> Any:
    if isinstance(value, Secret):
        return Secret(_actual(value.value, live, path))
    if isinstance(value, dict) and isinstance(live, dict):
        actual = {}
        for name, item in value.items():
            if name in live:
                actual[name] = _actual(item, live[name], (*path, name))
            elif _empty(item):
                actual[name] = item
        return actual
    if isinstance(value, list) and isinstance(live, list):
        return _actual_list(value, live, path)
    return value if value == live or equivalent(path, value, live) else live


def _actual_list(items: list[Any], live: list[Any], path: PropertyPath) -> list[Any]:
    plain = [reveal(item) for item in items]
    key = next((key for key in MERGE_KEYS if _identifies(key, plain) and _identifies(key, live)), None)
    if key:
        by_key = {item[key]: item for item in live}
        return [
            _actual(item, by_key[plain_item[key]], (*path, index))
            for index, (item, plain_item) in enumerate(zip(items, plain, strict=True))
            if plain_item[key] in by_key
        ]
    if len(items) == len(live):
        pairs = enumerate(zip(items, live, strict=True))
        return [_actual(item, live_item, (*path, index)) for index, (item, live_item) in pairs]
    return live


def _identifies(key: str, items: list[Any]) -> bool:
    if not items or not all(
        isinstance(item, dict) and isinstance(item.get(key), str | int) for item in items
    ):
        return False
    return len({item[key] for item in items}) == len(items)


def _empty(value: Any) -> bool:
    """Whether the API server may leave the value out, as it means the same as no value."""
    value = reveal(value)
    return value is None or value is False or value == "" or value == 0 or value == {} or value == []


def equivalent(path: PropertyPath, left: Any, right: Any) -> bool:
    """Whether two values of a field that are not equal mean the same to Kubernetes."""
    if left is None or right is None:
        return path[:1] == ("metadata",) and _empty(left) and _empty(right)
    if not QUANTITIES.intersection(path[-2:]):
        return False
    try:
        return quantity(left) == quantity(right)
    except InvalidOperation:
        return False


def inputs_of_import(live: Mapping[str, Any]) -> Properties:
    """Inputs for an object that no program has declared yet: what people set, without defaults.

    That is, in this order, `kubectl apply`'s annotation, the fields of managers that applied the object, or
    all of it.
    """
    annotation_text = annotation(live, LAST_APPLIED)
    if annotation_text:
        inputs = json.loads(annotation_text)
        inputs.get("metadata", {}).get("annotations", {}).pop(LAST_APPLIED, None)
        actual = _actual(inputs.get("metadata") or {}, metadata(live), ("metadata",))
        return _tidy({**inputs, "metadata": actual}, live)
    field_sets = [
        entry.get("fieldsV1") or {}
        for entry in metadata(live).get("managedFields") or []
        if entry.get("operation") == "Apply" and not entry.get("subresource")
    ]
    if not field_sets:
        return _tidy({name: value for name, value in live.items() if name != "status"}, live)
    own_fields: dict[str, Any] = {}
    for fields in field_sets:
        _merge(own_fields, fields)
    return _tidy(_own_part(dict(live), own_fields), live)


def _tidy(inputs: dict[str, Any], live: Mapping[str, Any]) -> Properties:
    own = {name: value for name, value in metadata(inputs).items() if name not in READ_ONLY and value != {}}
    for name in ("name", "namespace"):
        if metadata(live).get(name):
            own[name] = metadata(live)[name]
    head = {"apiVersion": live.get("apiVersion"), "kind": live.get("kind"), "metadata": own}
    tidy: Properties = rename_fields({**inputs, **head}, UNDERSCORED)
    return tidy


def _merge(into: dict[str, Any], fields: Mapping[str, Any]) -> None:
    for name, value in fields.items():
        _merge(into.setdefault(name, {}), value)


def _own_part(live: Any, fields: Mapping[str, Any]) -> Any:
    """The part of an object that managed fields (`f:spec`, `k:{"name":"x"}`, `v:"x"`) name."""
    inner = {name: value for name, value in fields.items() if name != "."}
    if not inner:
        return live
    if isinstance(live, dict):
        return {
            name[2:]: _own_part(live[name[2:]], value)
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
            {**{name: value for name, value in key.items() if name in item}, **_own_part(item, fields)}
            for item in live
            if isinstance(item, dict) and all(item.get(name, value) == value for name, value in key.items())
        ]
    return []
