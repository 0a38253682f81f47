"""Queues as a file of their own, which a program writes and settings take by `queues_from`.

The file has the keys of `queues` in the settings, and its format first:

    format: moka-queues/1
    organizations:
      analytics:
        weight: 3
        ...

A format that reads otherwise gets another number. Files are written in one order (organizations and projects
by name, keys as docs/settings.md lists them) and without defaults, so that two of them differ where their
queues do.
"""

from typing import Any, Literal

from pydantic import Field, ValidationError

from moka.documents import DocumentKind
from moka.mistakes import InvalidDocument, Mistake
from moka.queues.block import block
from moka.queues.definitions import Queues

FORMAT = "moka-queues/1"
SORTED = ("organizations", "projects", "tiers")
"""Keys whose values are sorted by name."""


class QueueFile(Queues):
    """Queues of YuniKorn, `root.<organization>.<project>.tier<n>`."""

    format: Literal["moka-queues/1"] = Field(description="Format of this file, with its version.")


QUEUE_FILE = DocumentKind(model=QueueFile, example="stacks/local.yaml", noun="queues")


def dumps(queues: Queues) -> str:
    """The text of the file; equal queues give equal text."""
    return block({"format": FORMAT, **_sort(queues.model_dump(mode="json", exclude_defaults=True))})


def _sort(data: dict[str, Any]) -> dict[str, Any]:
    return {
        key: {name: _sort(item) for name, item in sorted(value.items())} if key in SORTED else value
        for key, value in data.items()
    }


def loads(content: bytes | str, where: str) -> Queues:
    """The queues in a file; `where` names it in messages.

    How they must fit together is checked with the settings that take them.
    Raises InvalidDocument with every mistake, a line each.
    """
    data, mistakes = read(content, where)
    try:
        queues = QUEUE_FILE.validate({"format": FORMAT, **data}, where)
    except ValidationError as error:
        mistakes += QUEUE_FILE.mistakes(error)
    if mistakes:
        raise InvalidDocument("\n".join(f"{where}: {mistake}" for mistake in mistakes))
    return Queues(**{name: getattr(queues, name) for name in Queues.model_fields})


def read(content: bytes | str, where: str) -> tuple[dict[str, Any], list[Mistake]]:
    """The `queues` in a file, of which only the format is checked, and mistakes in that.

    Raises InvalidDocument when it is no text, no YAML or no mapping.
    """
    data = QUEUE_FILE.read(content, where)
    name = data.pop("format", None)
    if name is None:
        return data, [Mistake("format", f"is missing; write {FORMAT}")]
    if name != FORMAT:
        return data, [Mistake("format", f"is {name!r}, but only {FORMAT} can be read")]
    return data, []
