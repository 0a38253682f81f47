"""Settings that pages name: each is one, and has the default that is said beside it."""

import re
from collections.abc import Iterator
from typing import Any, get_args, get_origin

import pytest
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from localcloud.cloud import REPOSITORY
from stacks.settings import Environment
from tests.support.command_line import pages

PAGES = [page for page in pages() if "decisions" not in page.parts]

PATH = r"`((?:[a-z_]+|<\w+>)(?:\.(?:[a-z_][a-z0-9_-]*|<\w+>))+)(?:: [^`]*)?`"

NOT_SETTINGS = {
    "clusters.<name>.settings",
    "organization.project",
    "services.archer.audit",
    "spark.celeborn.client.spark.shuffle.fallback.policy",
}
"""What begins as a setting does: a key of a plan, a queue, a logger, and what Celeborn's client reads."""

ENDINGS = (".yaml", ".gz", ".py", "<domain>", ".svc")
"""Of files and hosts."""


def settings_named(text: str) -> Iterator[str]:
    """Paths of settings in a page, and nothing else that begins as one does."""
    for path in re.findall(PATH, text):
        first, second, *_ = path.split(".")
        if first not in Environment.model_fields or path in NOT_SETTINGS or path.endswith(ENDINGS):
            continue
        # Spark's own configuration, and modules of Python.
        if first in ("spark", "services") and second not in fields_of(
            Environment.model_fields[first].annotation
        ):
            continue
        yield path


def fields_of(annotation: Any) -> dict[str, FieldInfo]:
    """Fields of the section that a type is, or may be."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return dict(annotation.model_fields)
    return {name: field for inner in get_args(annotation) for name, field in fields_of(inner).items()}


def is_mapping(annotation: Any) -> bool:
    """Whether a type is a mapping by names, or may be one."""
    return get_origin(annotation) is dict or any(map(is_mapping, get_args(annotation)))


def setting(path: str) -> FieldInfo | None:
    """The field of the model that a path names; None where there is none, or it is within free values."""
    steps = path.split(".")
    field = Environment.model_fields[steps[0]]
    named = is_mapping(field.annotation)
    for number, step in enumerate(steps[1:], 1):
        inner = fields_of(field.annotation)
        if named and (step.startswith("<") or step not in inner):
            named = False
            if not inner:
                return field if number < len(steps) else None
            continue
        if step not in inner:
            return None
        field = inner[step]
        named = is_mapping(field.annotation)
    return field


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_every_setting_that_a_page_names_is_one(page):
    assert [path for path in settings_named(page.read_text()) if setting(path) is None] == []


def test_defaults_are_as_pages_say():
    said = [
        (path, value)
        for page in PAGES
        for pattern in (rf"{PATH}(?: days ago| pods)? \((\d+)\)", rf"^\| {PATH} \| (\d+) \|")
        for path, value in re.findall(pattern, page.read_text(), re.MULTILINE)
        if path in settings_named(f"`{path}`")
    ]

    assert len(said) > 10
    for path, value in said:
        field = setting(path)
        assert field is not None and str(field.default) == value, path


def test_a_setting_that_there_is_not_is_found():
    assert setting("metrics.store.days") is not None
    assert setting("clusters.<name>.control_plane_tier") is not None
    assert setting("charts.values.traefik") is not None
    assert setting("metrics.store.weeks") is None
    assert setting("clusters.<name>.tier") is None
