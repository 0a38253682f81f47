"""Between Pulumi's properties and the members of AWS's requests and answers, by botocore's shapes.

Both sides use the same words nearly everywhere: `kmsMasterKeyId` is `KMSMasterKeyID`. Other names are in a
table's `names`: dotted property -> member.
"""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from enum import Enum
from typing import Any

from localcloud.errors import Refusal

Names = Mapping[str, str]

_HUMPS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]+$|[A-Z]+(?=\d)|[A-Z]?[a-z0-9]+|[A-Z]+|\d+")


def camel(member: str) -> str:
    """A member's name as Pulumi has it: `KMSMasterKeyID` -> `kmsMasterKeyId`."""
    humps: list[str] = _HUMPS.findall(member)
    first, *rest = humps
    return first.lower() + "".join(hump[:1].upper() + hump[1:].lower() for hump in rest)


def member_of(shape: Any, name: str) -> str | None:
    """The member of a structure for a property; None where there is none."""
    members: list[str] = list(shape.members)
    if name in members:
        return name
    return next((member for member in members if member.lower() == name.lower()), None)


def to_members(properties: Mapping[str, Any], shape: Any, names: Names = {}) -> dict[str, Any]:  # noqa: B006
    """Request members for all the properties that this structure has members for."""
    members = {}
    for name, value in properties.items():
        member = member_of(shape, names.get(name, name))
        if member is not None and value is not None:
            members[member] = to_api(value, shape.members[member], names, name)
    return members


def to_api(value: Any, shape: Any, names: Names = {}, path: str = "") -> Any:  # noqa: B006
    """A property's value as AWS takes it; one that is not plain is not known yet, and stays."""
    if isinstance(value, Enum):
        return value
    match shape.type_name:
        case "structure":
            if isinstance(value, list):
                [value] = value
            return dict(_members(value, shape, names, path))
        case "list":
            if isinstance(value, dict):
                if _pairs(shape):
                    return [{"Key": key, "Value": item} for key, item in value.items()]
                value = [value]
            return [to_api(item, shape.member, names, path) for item in value]
        case "map":
            return {key: to_api(item, shape.value, names, path) for key, item in value.items()}
        case "boolean":
            if isinstance(value, str) and value not in BOOLEANS:
                raise Refusal(f"{path} is {value!r}, but takes true or false: write one of the two.")
            return BOOLEANS[value] if isinstance(value, str) else value
        case "integer" | "long":
            try:
                return int(value)
            except ValueError:
                raise Refusal(f"{path} is {value!r}, but takes a whole number: write one.") from None
        case "string":
            if isinstance(value, bool):
                return str(value).lower()
            return value if isinstance(value, str) else json.dumps(value)
        case _:
            return value


BOOLEANS = {"true": True, "false": False, "": False}
"""Pulumi has some booleans as text; empty is what is left out."""


def _members(value: Mapping[str, Any], shape: Any, names: Names, path: str) -> Iterator[tuple[str, Any]]:
    for name, item in value.items():
        inner = f"{path}.{name}"
        member = member_of(shape, names.get(inner, name))
        if member is None or (inner not in names and camel(member) != name):
            members = ", ".join(sorted(camel(member) for member in shape.members))
            raise Refusal(f"There is no {name} in {path}: leave it out; it has {members}.")
        if item is not None:
            yield member, to_api(item, shape.members[member], names, inner)


def from_members(answer: Mapping[str, Any], shape: Any, names: Names = {}) -> dict[str, Any]:  # noqa: B006
    """The members of a structure in an answer, under Pulumi's names."""
    return dict(_properties(answer, shape, {member: name for name, member in names.items()}, ""))


def from_api(value: Any, shape: Any, back: Names = {}, path: str = "") -> Any:  # noqa: B006
    """A value of an answer as Pulumi has it."""
    match shape.type_name:
        case "structure":
            return dict(_properties(value, shape, back, path))
        case "list":
            if _pairs(shape):
                return {item["Key"]: item.get("Value", "") for item in value}
            return [from_api(item, shape.member, back, path) for item in value]
        case "map":
            return {key: from_api(item, shape.value, back, path) for key, item in value.items()}
        case "timestamp":
            return value.isoformat() if isinstance(value, datetime) else value
        case "blob":
            return value.decode() if isinstance(value, bytes) else value
        case "string":
            # botocore has parsed IAM's policy documents already.
            return json.dumps(value) if isinstance(value, dict) else value
        case _:
            return value


def _properties(value: Mapping[str, Any], shape: Any, back: Names, path: str) -> Iterator[tuple[str, Any]]:
    for member, item in value.items():
        if item is None or member not in shape.members:
            continue
        name = back.get(member) if not path else None
        name = name or _nested_name(back, path, member) or camel(member)
        yield name, from_api(item, shape.members[member], back, f"{path}.{name}" if path else name)


def _nested_name(back: Names, path: str, member: str) -> str | None:
    for key, name in back.items():
        above, _, last = name.rpartition(".")
        if key == member and above == path:
            return last
    return None


def _pairs(shape: Any) -> bool:
    return shape.member.type_name == "structure" and set(shape.member.members) == {"Key", "Value"}


def at(answer: Any, shape: Any, path: str) -> tuple[Any, Any]:
    """The value at a path in an answer, such as `Vpcs[0].VpcId`, and its shape; None where there is none."""
    for step in path.split(".") if path else ():
        member, first, _ = step.partition("[0]")
        shape = shape.members[member]
        answer = answer.get(member) if answer is not None else None
        if first:
            shape = shape.member
            answer = answer[0] if answer else None
    return answer, shape


def loosely_equal(left: Any, right: Any) -> bool:
    """Whether two scalars are the same to AWS: `"true"` and True, `"1"` and 1."""
    scalar = (str, bool, int, float)
    if not (isinstance(left, scalar) and isinstance(right, scalar)):
        return False
    return _text(left) == _text(right)


def _text(value: str | bool | int | float) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def same_document(left: Any, right: Any) -> bool:
    """Whether two JSON texts mean the same; a list of one is its item, as in IAM."""
    try:
        return bool(_canonical(json.loads(left)) == _canonical(json.loads(right)))
    except (TypeError, ValueError):
        return False


def _canonical(value: Any) -> Any:
    match value:
        case dict():
            return {name: _canonical(item) for name, item in value.items()}
        case [item]:
            return _canonical(item)
        case list():
            return sorted(
                (_canonical(item) for item in value), key=lambda item: json.dumps(item, sort_keys=True)
            )
        case bool():
            return str(value).lower()
        case _:
            return value
