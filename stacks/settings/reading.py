"""Reading a settings file: every mistake in it at once, or the settings."""

import copy
import re
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from moka.documents import DocumentKind, Place
from moka.mistakes import InvalidDocument, Mistake, comma_list
from moka.queues import queue_file
from stacks.settings import checks, node_scripts
from stacks.settings.environment import Environment

SETTINGS = DocumentKind(model=Environment, example="stacks/local.yaml", noun="settings")

FOLDER = node_scripts.FOLDER
"""Folder of the settings files, and of files of queues beside them."""

QUEUE_FILE_NAME = re.compile(r"^[\w-]+\.queues\.yaml$", re.ASCII)


def environments() -> list[str]:
    """Names of the environments that have a settings file."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml") if "." not in path.stem)


def path_of(environment: str) -> Path:
    """The settings file of an environment."""
    return FOLDER / f"{environment}.yaml"


def load(environment: str) -> Environment:
    """The checked settings of an environment, from `stacks/<environment>.yaml`.

    Raises InvalidDocument with every mistake in the file, a line each.
    """
    path = path_of(environment)
    if not path.is_file():
        raise InvalidDocument(
            f"Environment {environment!r} has no settings file stacks/{path.name}; the environments are "
            f"{comma_list(environments())}."
        )
    return parse(path.read_bytes(), f"stacks/{path.name}", environment)


def parse(content: bytes | str, where: str, environment: str | None = None) -> Environment:
    """The checked settings in a document; `where` names it in messages.

    Raises InvalidDocument with every mistake, a line each.
    """
    data = SETTINGS.read(content, where)
    queues_file, mistakes = _read_queues(data, where)
    try:
        settings = SETTINGS.validate(data, where)
    except ValidationError as error:
        mistakes += SETTINGS.mistakes(error)
        rest, removed = _without_mistakes(data, error, where)
        # The rest is checked as well, as far as that does not touch what was removed.
        mistakes += [] if rest is None else [m for m in checks.mistakes(rest) if not _touches(m, removed)]
    else:
        mistakes += checks.mistakes(settings)
    name = data.get("environment")
    if environment is not None and isinstance(name, str) and name != environment:
        mistakes.append(
            Mistake("environment", f"is {name!r}, but must be {environment!r}, like the name of the file")
        )
    if mistakes:
        raise InvalidDocument("\n".join(_message(mistake, where, queues_file) for mistake in mistakes))
    return settings


def _read_queues(data: dict[str, Any], where: str) -> tuple[str | None, list[Mistake]]:
    """Add the queues from the file that the settings name: the file's name for messages, and its mistakes.

    Raises InvalidDocument when it cannot be read.
    """
    name = data.get("queues_from")
    if name is None:
        return None, []
    if "queues" in data:
        return None, [Mistake("queues_from", "cannot be combined with `queues`; keep one of the two")]
    path = FOLDER / str(name)
    if not QUEUE_FILE_NAME.match(str(name)) or not path.is_file():
        raise InvalidDocument(
            f"{where}: queues_from: is {name!r}, but there is no such file beside it; name one such as "
            "prod.queues.yaml."
        )
    queues_file = f"{Path(where).parent}/{name}"
    data["queues"], mistakes = queue_file.read(path.read_bytes(), queues_file)
    return queues_file, [Mistake(f"queues.{mistake.at}", mistake.says) for mistake in mistakes]


def _message(mistake: Mistake, where: str, queues_file: str | None) -> str:
    """A mistake with the file that it is in; in a file of queues, no `queues` comes first in its path."""
    if queues_file is not None and (mistake.at + ".").startswith("queues."):
        at = mistake.at.removeprefix("queues").lstrip(".") or "queues"
        return f"{queues_file}: {Mistake(at, mistake.says)}"
    return f"{where}: {mistake}"


def _without_mistakes(
    data: dict[str, Any], error: ValidationError, where: str
) -> tuple[Environment | None, list[Place]]:
    """The settings without what is wrong in them, if anything is left, and the places of what was removed."""
    rest: dict[str, Any] = copy.deepcopy(data)
    removed = []
    for _ in range(3):
        for kind, place in SETTINGS.places(error):
            # What is missing cannot be removed: what lacks it can.
            removed.append(place[:-1] if kind == "missing" else place)
            _remove(rest, removed[-1])
        try:
            return SETTINGS.validate(rest, where), removed
        except ValidationError as remaining:
            error = remaining
    return None, removed


def _remove(holder: Any, place: Place) -> None:
    for part in place[:-1]:
        try:
            holder = holder[part if isinstance(holder, list) else _key(holder, part)]
        except (KeyError, IndexError, TypeError):
            return
    if not place:
        return
    if isinstance(holder, dict):
        holder.pop(_key(holder, place[-1]), None)
    elif isinstance(holder, list) and isinstance(place[-1], int) and place[-1] < len(holder):
        # An index stays what it is for the mistakes that come after.
        holder[place[-1]] = None


def _key(holder: dict[Any, Any], part: int | str) -> Any:
    """The key as YAML has it: in JSON every key is text."""
    return next((key for key in holder if str(key) == str(part)), part)


def _touches(mistake: Mistake, removed: list[Place]) -> bool:
    """Whether a mistake is about something that was removed, or about what that was part of."""
    for place in removed:
        path = ".".join(map(str, place))
        within = f"{mistake.at}.".startswith(f"{path}.") or f"{path}.".startswith(f"{mistake.at}.")
        if not path or within or f"'{place[-1]}'" in mistake.says:
            return True
    return False
