"""The engine's messages as resources: values as `google.protobuf.Struct` and JSON carry them."""

from collections.abc import Mapping
from typing import Any

from policies.pack.marks import CONTENT, OUTPUT, SECRET, SIGNATURE, UNKNOWNS
from policies.pack.resource import UNKNOWN, SecretText


def from_struct(struct: Any) -> dict[str, Any]:
    """A `google.protobuf.Struct` as plain data."""
    return {key: _from_value(value) for key, value in struct.fields.items()}


def _from_value(value: Any) -> Any:
    kind = value.WhichOneof("kind")
    if kind == "struct_value":
        return _marked(from_struct(value.struct_value))
    if kind == "list_value":
        return [_from_value(part) for part in value.list_value.values]
    if kind == "string_value":
        return UNKNOWN if value.string_value in UNKNOWNS else value.string_value
    if kind == "number_value":
        number = value.number_value
        return int(number) if number.is_integer() else number
    return value.bool_value if kind == "bool_value" else None


def from_json(value: Any) -> Any:
    """A value of the engine's JSON as plain data."""
    if isinstance(value, Mapping):
        return _marked({key: from_json(part) for key, part in value.items()})
    if isinstance(value, list):
        return [from_json(part) for part in value]
    return UNKNOWN if isinstance(value, str) and value in UNKNOWNS else value


def _marked(value: dict[str, Any]) -> Any:
    signature = value.get(SIGNATURE)
    if signature == SECRET:
        return _as_secret(value.get(CONTENT))
    if signature == OUTPUT:
        content = value.get(CONTENT, UNKNOWN)
        return _as_secret(content) if value.get("secret") else content
    return value


def _as_secret(value: Any) -> Any:
    if isinstance(value, str):
        return SecretText(value)
    if isinstance(value, dict):
        return {key: _as_secret(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_as_secret(part) for part in value]
    return value
