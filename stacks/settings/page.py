"""docs/settings.md: every setting, with its default and what it means, from the model."""

from collections.abc import Iterator
from typing import Any, get_args

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from moka.documents import Section
from stacks.settings.environment import Environment

HEAD = """# Settings

`stacks/<environment>.yaml` says what an environment is like; `stacks/{test,dev,staging,prod,local}.yaml` are
examples that differ as environments do. An environment's file says only what differs from the defaults
below. Everything is checked before anything is touched: types, unknown keys, and what the values must be to
each other (`stacks/settings/checks/`); all mistakes are told at once.

Editors that know JSON Schema complete and check the file: its first line names `settings.schema.json`.
`<name>` is a name of your choice. This page is made by `make schema`.
"""


def page() -> str:
    """The page: a table a section of the file, in the order of the model."""
    tables = [HEAD]
    for path, section in _sections("", Environment, []):
        rows = [
            f"| `{name}` | {_default(field)} | {field.description or _said(field)} |"
            for name, field in section.model_fields.items()
        ]
        said = " ".join((section.__doc__ or "").split())
        title = f"`{path}`" if path else "The file"
        tables.append(
            "\n".join([f"## {title}", "", said, "", "| key | default | |", "| --- | --- | --- |", *rows, ""])
        )
    return "\n".join(tables)


def _sections(
    path: str, section: type[Section], seen: list[type[Section]]
) -> Iterator[tuple[str, type[Section]]]:
    """Each section once, where it first stands, before those within it."""
    if section in seen:
        return
    seen.append(section)
    yield path, section
    for name, field in section.model_fields.items():
        for suffix, inner in _within(field.annotation):
            yield from _sections(f"{path}.{name}{suffix}".lstrip("."), inner, seen)


def _within(annotation: Any) -> Iterator[tuple[str, type[Section]]]:
    if isinstance(annotation, type) and issubclass(annotation, Section):
        yield "", annotation
    for each in get_args(annotation):
        for suffix, inner in _within(each):
            yield (f".<name>{suffix}" if getattr(annotation, "__origin__", None) is dict else suffix), inner


def _said(field: FieldInfo) -> str:
    """What the section says of itself, where the field says nothing."""
    return next((" ".join((inner.__doc__ or "").split()) for _, inner in _within(field.annotation)), "")


def _default(field: FieldInfo) -> str:
    default = field.get_default(call_default_factory=True, validated_data={})
    if field.is_required() or default is PydanticUndefined:
        return "required"
    if default is None or default == [] or default == {}:
        return "none"
    if isinstance(default, dict) and any(isinstance(each, Section) for each in default.values()):
        return ", ".join(f"`{name}`" for name in default)
    if isinstance(default, Section):
        return "as below"
    return f"`{str(default).lower() if isinstance(default, bool) else default}`"
