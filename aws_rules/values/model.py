"""A call against botocore's model of its service: required, enum, pattern, length, range.

botocore itself checks types, required members and minima only.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from aws_rules.rule import Rule
from aws_rules.values.dialects import REQUIRED, dialect
from aws_rules.values.exceptions import GROWING, LOOSER
from aws_rules.values.patterns import pattern
from aws_rules.values.request import LATER, Path, Request, ValueVerdict, path_text

RULE = Rule(
    name="request-model",
    authority="AWS",
    decides="whether the values of a call fit the service's model: required, enum, pattern, length, range",
    source="boto/botocore: botocore/data/*/*/service-2.json.gz",
)

RULES = (RULE,)


def verdicts(request: Request, shape: Any, whole: bool = True) -> Iterator[ValueVerdict]:
    """What the service would refuse in a call with an input of this shape; whole: all of it is known."""
    # EC2's protocol has no empty lists: they are left out.
    absent: tuple[Any, ...] = (None, []) if request.service == "ec2" else (None,)
    for path, name, value, constraint in _faults((), shape, request.members, whole, absent):
        place = (request.service, name)
        if place in LOOSER:
            continue
        if place in GROWING:
            yield request.gap(RULE, f"{value} at {path_text(path)}")
            continue
        code, message = dialect(request.service).refuse(path, value, constraint)
        yield request.misfit(RULE, path, code, message, f"correct {path_text(path)}")


def _faults(
    path: Path, shape: Any, value: Any, whole: bool, absent: Sequence[Any]
) -> Iterator[tuple[Path, str, Any, str]]:
    """Path, name of the shape, value and constraint of each value that breaks one.

    absent: values that are as good as none.
    """
    if value is LATER or value is None:
        return
    metadata = shape.metadata
    match shape.type_name:
        case "structure" if isinstance(value, Mapping):
            if whole or path:
                for name in metadata.get("required", ()):
                    # botocore makes up tokens itself.
                    token = shape.members[name].metadata.get("idempotencyToken")
                    if value.get(name) in absent and not token:
                        yield (*path, name), shape.members[name].name, None, REQUIRED
            for name, item in value.items():
                if name in shape.members:
                    yield from _faults((*path, name), shape.members[name], item, whole, absent)
        case "list" if isinstance(value, Sequence) and not isinstance(value, str):
            yield from _beyond(path, shape, len(value), value, "length")
            for index, item in enumerate(value):
                yield from _faults((*path, index), shape.member, item, whole, absent)
        case "map" if isinstance(value, Mapping):
            yield from _beyond(path, shape, len(value), value, "length")
            for key, item in value.items():
                yield from _faults((*path, key), shape.key, key, whole, absent)
                yield from _faults((*path, key), shape.value, item, whole, absent)
        case "string" if isinstance(value, str):
            yield from _beyond(path, shape, len(value), value, "length")
            yield from _unlike(path, shape, value)
        case "blob" if isinstance(value, str | bytes):
            yield from _beyond(path, shape, len(value), value, "length")
        case "integer" | "long" | "float" | "double" if isinstance(value, int | float):
            yield from _beyond(path, shape, value, value, "value")


def _beyond(
    path: Path, shape: Any, size: float, value: Any, quantity: str
) -> Iterator[tuple[Path, str, Any, str]]:
    lowest, highest = shape.metadata.get("min"), shape.metadata.get("max")
    if lowest is not None and size < lowest:
        yield path, shape.name, value, f"Member must have {quantity} greater than or equal to {lowest}"
    if highest is not None and size > highest:
        yield path, shape.name, value, f"Member must have {quantity} less than or equal to {highest}"


def _unlike(path: Path, shape: Any, value: str) -> Iterator[tuple[Path, str, Any, str]]:
    allowed = shape.metadata.get("enum")
    if allowed and value not in allowed:
        yield path, shape.name, value, f"Member must satisfy enum value set: [{', '.join(allowed)}]"
    text = shape.metadata.get("pattern")
    compiled = pattern(text) if text else None
    # Services match the whole value, as Java's `matches` does, whether or not the pattern says so.
    if compiled is not None and not compiled.fullmatch(value):
        yield path, shape.name, value, f"Member must satisfy regular expression pattern: {text}"
