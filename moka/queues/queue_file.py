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

from typing import Any, Literal

from pydantic import Field, ValidationError

from moka.documents import DocumentKind
from moka.mistakes import InvalidDocument, Mistake
from moka.queues.block import block
from moka.queues.definitions import Queues

FORMAT = "moka-queues/1"
NAMED = ("organizations", "projects", "tiers")


class QueueFile(Queues):
    """Queues of YuniKorn, `root.<organization>.<project>.tier<n>`."""

    format: Literal["moka-queues/1"] = Field(description="What this file is, and how it is to be read.")


QUEUE_FILE = DocumentKind(model=QueueFile, example="stacks/local.yaml", noun="queues")


def dumps(queues: Queues) -> str:
    """The text of the file; equal queues give equal text."""
    return block({"format": FORMAT, **_in_order(queues.model_dump(mode="json", exclude_defaults=True))})


def _in_order(data: dict[str, Any]) -> dict[str, Any]:
    """The same, with what has names of its own sorted by them."""
    return {
        key: {name: _in_order(held) for name, held in sorted(value.items())} if key in NAMED else value
        for key, value in data.items()
    }


def loads(content: bytes | str, where: str) -> Queues:
    """The queues in a file; `where` names it in messages.

    What they must be to each other is checked with the settings that take them.
    Raises InvalidDocument with every mistake, a line each.
    """
    data, mistakes = read(content, where)
    try:
        queues = QUEUE_FILE.validated({"format": FORMAT, **data}, where)
    except ValidationError as error:
        mistakes += QUEUE_FILE.mistakes(error)
    if mistakes:
        raise InvalidDocument("\n".join(f"{where}: {mistake}" for mistake in mistakes))
    return Queues(**{name: getattr(queues, name) for name in Queues.model_fields})


def read(content: bytes | str, where: str) -> tuple[dict[str, Any], list[Mistake]]:
    """What a file says as `queues`, not checked but for its format.

    Raises InvalidDocument when it is no text, no YAML or no mapping.
    """
    data = QUEUE_FILE.read(content, where)
    name = data.pop("format", None)
    if name is None:
        return data, [Mistake("format", f"is missing; write {FORMAT}")]
    if name != FORMAT:
        return data, [Mistake("format", f"is {name!r}, and what is read here is {FORMAT}")]
    return data, []
