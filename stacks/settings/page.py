"""docs/settings.md: every setting, with its default and what it means, from the model."""

from collections.abc import Iterator
from typing import Any, get_args, get_origin

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from moka.documents import Section
from stacks.settings.environment import Environment

HEAD = """# Settings

`stacks/<environment>.yaml` describes an environment; `stacks/{test,dev,staging,prod,local}.yaml` are examples
that differ as environments do. A file sets what is required and what differs from the defaults below. It is
checked before anything is deployed: types, unknown keys, whether its values fit each other, and whether AWS,
EKS and Kubernetes would take them (`stacks/settings/checks/`); all mistakes are reported at once. What is
newer than the data of the checks, such as an instance type or a region, is not refused.

Editors that support JSON Schema complete and check the file: its first line names `settings.schema.json`.
In titles, `<name>` is a name of your choice. `make schema` generates this page from the model.
"""


def page() -> str:
    """The page: a table a section of the file, in the order of the model."""
    tables = [HEAD]
    for path, section in _sections("", Environment, []):
        rows = [
            f"| `{name}` | {_default(field)} | {field.description or _section_text(field)} |"
            for name, field in section.model_fields.items()
        ]
        title = f"`{path}`" if path else "The file"
        head = [f"## {title}", "", _text(section), "", "| key | default | meaning |", "| --- | --- | --- |"]
        tables.append("\n".join([*head, *rows, ""]))
    return "\n".join(tables)


def _sections(
    path: str, section: type[Section], sections: list[type[Section]]
) -> Iterator[tuple[str, type[Section]]]:
    """Every section once, at its first path, before those within it."""
    if section in sections:
        return
    sections.append(section)
    yield path, section
    for name, field in section.model_fields.items():
        for suffix, inner in _inner_sections(field.annotation):
            yield from _sections(f"{path}.{name}{suffix}".lstrip("."), inner, sections)


def _inner_sections(annotation: Any) -> Iterator[tuple[str, type[Section]]]:
    if isinstance(annotation, type) and issubclass(annotation, Section):
        yield "", annotation
    for argument in get_args(annotation):
        for suffix, inner in _inner_sections(argument):
            yield f"{_key(annotation)}{suffix}", inner


def _key(annotation: Any) -> str:
    """What comes in the path for a mapping's keys."""
    if get_origin(annotation) is not dict:
        return ""
    key = get_args(annotation)[0]
    return ".<number>" if int in (key, *get_args(key)) else ".<name>"


def _section_text(field: FieldInfo) -> str:
    """The docstring of a field's section, for a field without a description."""
    return next((_text(section) for _, section in _inner_sections(field.annotation)), "")


def _text(section: type[Section]) -> str:
    return " ".join((section.__doc__ or "").split())


def _default(field: FieldInfo) -> str:
    default = field.get_default(call_default_factory=True, validated_data={})
    if field.is_required() or default is PydanticUndefined:
        return "required"
    if default is None or default == [] or default == {}:
        return "none"
    if isinstance(default, dict) and any(isinstance(value, Section) for value in default.values()):
        return ", ".join(f"`{name}`" for name in default)
    if isinstance(default, Section):
        return "as below"
    return f"`{str(default).lower() if isinstance(default, bool) else default}`"
