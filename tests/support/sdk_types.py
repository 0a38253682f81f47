"""Values against the types that the SDK has: what of them it would not know."""

import importlib
import re
import typing
from enum import EnumMeta
from typing import Any

import pulumi_aws
from pulumi import _types

SCALARS = {str: str, bool: bool, int: int, float: (int, float)}


def module_of(token):
    """The SDK's module of a type or a function, found by its token."""
    package, _, name = token.split(":")[1].partition("/")
    if package == "index":
        return importlib.import_module(f"pulumi_aws.{snake(name)}")
    # A package of the SDK loads at its first attribute; it stays empty if a module of it was imported before.
    getattr(getattr(pulumi_aws, package), snake(name))
    return importlib.import_module(f"pulumi_aws.{package}.{snake(name)}")


def snake(name):
    """Python's name of a property of Pulumi's."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def unknown_in_type(token, outputs):
    """Where outputs of a resource have names or kinds of values that the SDK does not have."""
    types = _types.resource_types(getattr(module_of(token), token.rsplit(":", 1)[1]))
    return _in_structure(outputs, types, "")


def unknown_in_function(token, answer):
    """Where an answer has names or kinds of values that the SDK does not have."""
    name = token.rsplit(":", 1)[1]
    return _in(answer, getattr(module_of(token), f"{name[0].upper()}{name[1:]}Result"), "")


def _in_structure(value, types, path):
    unknown = [f"{path}.{name}" for name in value if name not in types]
    known = [name for name in value if name in types]
    return unknown + [where for n in known for where in _in(value[n], types[n], f"{path}.{n}")]


def _in(value, type_, path):
    while typing.get_origin(type_) is typing.Union:
        type_ = next(member for member in typing.get_args(type_) if member is not type(None))
    origin, inner = typing.get_origin(type_), typing.get_args(type_)
    if value is None or type_ is Any:
        return []
    if isinstance(type_, type) and _types.is_output_type(type_):
        if not isinstance(value, dict):
            return [f"{path} is no structure"]
        return _in_structure(value, _types.output_type_types(type_), path)
    if isinstance(type_, EnumMeta):
        return (
            [] if value in {member.value for member in type_} else [f"{path} is {value!r}, none of {type_}"]
        )
    if type_ in SCALARS:
        fits = isinstance(value, SCALARS[type_]) and (type_ is bool) == isinstance(value, bool)
        return [] if fits else [f"{path} is {value!r}, no {type_.__name__}"]
    if isinstance(value, list):
        return [where for item in value for where in _in(item, inner[0], f"{path}[]")] if inner else [path]
    if isinstance(value, dict):
        return [where for item in value.values() for where in _in(item, inner[-1], f"{path}{{}}")]
    return [f"{path}: {origin or type_}"]
