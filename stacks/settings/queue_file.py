"""Queues as a file of their own: what a program writes, and settings take by `queues_from`.

The file says what `queues` in the settings says, and its format first:

    format: moka-queues/1
    organizations:
      analytics:
        weight: 3
        ...

A format that reads otherwise gets another number. What is written has one order (organizations and projects
by name, keys as docs/settings.md lists them) and nothing that is as by default, so that two files differ
where their queues do.
"""

import json
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from components.kubernetes.queues.block import block
from stacks.settings import document
from stacks.settings.checks.mistake import Mistake
from stacks.settings.queues import Queues
from stacks.settings.section import SettingsError
from stacks.settings.wording import mistake_of

FORMAT = "moka-queues/1"
NAMED = ("organizations", "projects", "tiers")
SCHEMA = Path(__file__).resolve().parent.parent / "queues.schema.json"


class QueueFile(Queues):
    """Queues of YuniKorn, `root.<organization>.<project>.tier<n>`."""

    format: Literal["moka-queues/1"] = Field(description="What this file is, and how it is to be read.")


def dumps(queues: Queues) -> str:
    """The text of the file; equal queues give equal text."""
    return block({"format": FORMAT, **_in_order(queues.model_dump(mode="json", exclude_defaults=True))})


def _in_order(said: dict[str, Any]) -> dict[str, Any]:
    """What is said, with what has names of its own sorted by them."""
    return {
        key: {name: _in_order(each) for name, each in sorted(value.items())} if key in NAMED else value
        for key, value in said.items()
    }


def loads(content: bytes | str, where: str) -> Queues:
    """The queues in a file; `where` names it in messages.

    What they must be to each other is checked with the settings that take them.
    Raises SettingsError with every mistake, a line each.
    """
    said, wrong = read(content, where)
    try:
        queues = document.validated(said, Queues, where)
    except ValidationError as error:
        wrong += [mistake_of({**each, "loc": ("queues", *each["loc"])}) for each in error.errors()]
    if wrong:
        raise SettingsError("\n".join(told(mistake, where) for mistake in wrong))
    return queues


def read(content: bytes | str, where: str) -> tuple[dict[str, Any], list[Mistake]]:
    """What a file says as `queues`, not checked but for its format; mistakes stand below `queues`.

    Raises SettingsError when it is no text, no YAML or no mapping.
    """
    said = document.read(content, where)
    format_ = said.pop("format", None)
    if format_ is None:
        return said, [Mistake("queues.format", f"is missing; write {FORMAT}")]
    if format_ != FORMAT:
        return said, [Mistake("queues.format", f"is {format_!r}, and what is read here is {FORMAT}")]
    return said, []


def told(mistake: Mistake, where: str) -> str:
    """A mistake in the file, as people read it: there is no `queues` around what it says."""
    return f"{where}: {Mistake(mistake.at.removeprefix('queues').lstrip('.') or 'queues', mistake.says)}"


def schema() -> str:
    """The file as JSON Schema."""
    made = {"$schema": "https://json-schema.org/draft/2020-12/schema", **QueueFile.model_json_schema()}
    return json.dumps(made, indent=2) + "\n"
