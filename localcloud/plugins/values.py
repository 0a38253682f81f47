"""The engine's values as plain Python: None, bool, int, float, str, lists and dicts.

`UNKNOWN` stands for values that are not known in a preview, `Secret` is around values that must stay secret.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from google.protobuf import struct_pb2


class Unknown(Enum):
    """A value that is not known before its resource is made."""

    UNKNOWN = "unknown"

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = Unknown.UNKNOWN


@dataclass(frozen=True)
class Secret:
    """A value that is never printed."""

    value: Any


Properties = dict[str, Any]

# Marks of the engine's protocol.
_MARK = "4dabf18193072939515e22adb298388d"
_SECRET = "1b47061264138c4ac30d75fd1eb44270"
_OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4"
_UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"


def from_wire(struct: struct_pb2.Struct) -> Properties:
    """Properties as the engine sends them, as plain Python."""
    return {name: _value(value) for name, value in struct.fields.items()}


def _value(value: struct_pb2.Value) -> Any:
    match value.WhichOneof("kind"):
        case "string_value":
            text = value.string_value
            return UNKNOWN if text == _UNKNOWN else text
        case "number_value":
            number = value.number_value
            return int(number) if number.is_integer() else number
        case "bool_value":
            return value.bool_value
        case "list_value":
            return [_value(item) for item in value.list_value.values]
        case "struct_value":
            fields = value.struct_value.fields
            if _MARK in fields:
                mark = fields[_MARK].string_value
                if mark == _SECRET:
                    return Secret(_value(fields["value"]))
                if mark == _OUTPUT:
                    inner = _value(fields["value"]) if "value" in fields else UNKNOWN
                    secret = "secret" in fields and fields["secret"].bool_value
                    return Secret(inner) if secret else inner
            return {name: _value(item) for name, item in fields.items()}
        case _:
            return None


def to_wire(properties: Mapping[str, Any]) -> struct_pb2.Struct:
    """Plain properties as the engine takes them."""
    return struct_pb2.Struct(fields={name: _to_value(value) for name, value in properties.items()})


def _to_value(value: Any) -> struct_pb2.Value:
    match value:
        case None:
            return struct_pb2.Value(null_value=struct_pb2.NULL_VALUE)
        case bool():
            return struct_pb2.Value(bool_value=value)
        case int() | float():
            return struct_pb2.Value(number_value=value)
        case Unknown():
            return struct_pb2.Value(string_value=_UNKNOWN)
        case str():
            return struct_pb2.Value(string_value=value)
        case Secret(inner):
            fields = {_MARK: struct_pb2.Value(string_value=_SECRET), "value": _to_value(inner)}
            return struct_pb2.Value(struct_value=struct_pb2.Struct(fields=fields))
        case Mapping():
            return struct_pb2.Value(struct_value=to_wire(value))
        case Sequence():
            items = struct_pb2.ListValue(values=[_to_value(item) for item in value])
            return struct_pb2.Value(list_value=items)
        case _:
            raise TypeError(f"no value of the engine: {type(value).__name__}")


def reveal(value: Any) -> Any:
    """The value without its `Secret`s."""
    match value:
        case Secret(inner):
            return reveal(inner)
        case dict():
            return {name: reveal(item) for name, item in value.items()}
        case list():
            return [reveal(item) for item in value]
        case _:
            return value


def secret_in(value: Any) -> bool:
    """Whether anything in the value is secret."""
    return _contains(value, Secret)


def unknown_in(value: Any) -> bool:
    """Whether anything in the value is not known."""
    return _contains(value, Unknown)


def _contains(value: Any, mark: type) -> bool:
    if isinstance(value, mark):
        return True
    match value:
        case Secret(inner):
            return _contains(inner, mark)
        case dict():
            return any(_contains(item, mark) for item in value.values())
        case list():
            return any(_contains(item, mark) for item in value)
        case _:
            return False


def seal(outputs: Properties, like: Mapping[str, Any]) -> Properties:
    """Outputs, where a property is secret if it has a secret in it in `like`."""
    secret = {name for name, value in like.items() if secret_in(value)}
    if not secret:
        return outputs
    return {
        name: Secret(reveal(value)) if name in secret and not isinstance(value, Secret) else value
        for name, value in outputs.items()
    }


def without_nulls(value: Any) -> Any:
    """The value without members that are None: to the engine, they are not there."""
    match value:
        case dict():
            return {name: without_nulls(item) for name, item in value.items() if item is not None}
        case list():
            return [without_nulls(item) for item in value]
        case Secret(inner):
            return Secret(without_nulls(inner))
        case _:
            return value
