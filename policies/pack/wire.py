"""The engine's messages as resources: values as `google.protobuf.Struct` and JSON carry them."""

from collections.abc import Mapping
from typing import Any

from pulumi_policy import proxy

from policies.pack.resource import UNKNOWN, SecretText

# Keys and values by which the engine marks a mapping as something else: sdk/go/common/resource/properties.go.
SIGNATURE = "4dabf18193072939515e22adb298388d"
SECRET = "1b47061264138c4ac30d75fd1eb44270"
OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4"

UNKNOWNS = frozenset(value for name, value in vars(proxy).items() if name.startswith("UNKNOWN_"))


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
        return _as_secret(value.get("value"))
    if signature == OUTPUT:
        known = value.get("value", UNKNOWN)
        return _as_secret(known) if value.get("secret") else known
    return value


def _as_secret(value: Any) -> Any:
    if isinstance(value, str):
        return SecretText(value)
    if isinstance(value, dict):
        return {key: _as_secret(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_as_secret(part) for part in value]
    return value
