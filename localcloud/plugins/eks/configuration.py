"""Configuration of add-ons, as EKS takes it."""

import json
from collections.abc import Mapping
from typing import Any

import pulumi

OVERWRITE = "OVERWRITE"


def configuration_json(values: Any) -> pulumi.Output[str] | None:
    """Configuration of an add-on, as EKS takes it, with sorted keys."""
    return None if values is None else pulumi.Output.from_input(values).apply(_json)


def _json(values: Any) -> str:
    return json.dumps(_whole(values), sort_keys=True, separators=(",", ":"))


def _whole(value: Any) -> Any:
    """The value with whole numbers as such: over the wire every number is a float."""
    if isinstance(value, Mapping):
        return {key: _whole(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_whole(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
