"""Values in previews: those that are not known before `up`, and those that are secret.

Source: pulumi/pulumi v3.200.0, sdk/go/common/resource/plugin/rpc.go (Unknown...Value) and properties.go
(SigKey); pkg/backend/display/json.go (secrets as `[secret]`).
"""

from collections.abc import Iterator, Mapping
from typing import Any

UNKNOWN = frozenset(
    {
        "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
        "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
        "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
        "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
        "030794c1-ac77-496b-92df-f27374a8bd58",
        "e48ece36-62e2-4504-bad9-02848725956a",
        "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
    }
)
"""What stands for a text, a truth value, a number, a list, an asset, an archive, an object."""

SECRET = "[secret]"
SIGNATURE = "4dabf18193072939515e22adb298388d"
"""Key of an object that stands for a secret, an output or an asset."""


def known(value: Any) -> bool:
    """Whether a value is known to its last part, and no part of it is secret."""
    if isinstance(value, str):
        return value not in UNKNOWN and value != SECRET
    if isinstance(value, Mapping):
        return SIGNATURE not in value and all(map(known, value.values()))
    if isinstance(value, list | tuple):
        return all(map(known, value))
    return True


def has_secret(value: Any) -> bool:
    """Whether a part of a value is secret."""
    if isinstance(value, Mapping):
        return SIGNATURE in value or any(map(has_secret, value.values()))
    if isinstance(value, list | tuple):
        return any(map(has_secret, value))
    return bool(value == SECRET)


def differs(before: Any, after: Any) -> bool:
    """Whether two values differ for certain: what is not known may be as it was."""
    if isinstance(before, Mapping) and isinstance(after, Mapping) and SIGNATURE not in {**before, **after}:
        return any(differs(before.get(key), after.get(key)) for key in {**before, **after})
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return any(map(differs, before, after))
    return before != after and known(before) and known(after)


def text(value: Any, default: str = "") -> str:
    """A value as text, where it is a known one."""
    return value if isinstance(value, str) and known(value) else default


def mapping(value: Any) -> Mapping[str, Any]:
    """A value as an object, where it is a known one; else an empty one."""
    return value if isinstance(value, Mapping) and SIGNATURE not in value else {}


def sequence(value: Any) -> list[Any]:
    """A value as a list, where it is one; else an empty one."""
    return list(value) if isinstance(value, list | tuple) else []


def number(value: Any) -> int | None:
    """A value as a whole number; None where it is not known, or none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str) or not known(value):
        return None
    try:
        return int(float(value))
    except (ValueError, OverflowError):
        return None


def at(value: Any, path: str) -> Any:
    """What stands at a dotted path of objects; None where nothing does."""
    for key in path.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def walk(value: Any) -> Iterator[Mapping[str, Any]]:
    """Every object in a value, itself first."""
    if isinstance(value, Mapping):
        yield value
        for part in value.values():
            yield from walk(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from walk(part)
