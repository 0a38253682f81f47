"""Reading a settings file: every mistake in it at once, or the settings."""

import copy
import re
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from stacks.settings import checks, document, queue_file
from stacks.settings.checks.mistake import Mistake, listed
from stacks.settings.environment import Environment
from stacks.settings.section import SettingsError
from stacks.settings.wording import Place, mistake_of, place_of

FOLDER = Path(__file__).resolve().parent.parent

QUEUE_FILE = re.compile(r"^[\w-]+\.queues\.yaml$", re.ASCII)


def known() -> list[str]:
    """Environments that have a settings file."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml") if "." not in path.stem)


def path_of(environment: str) -> Path:
    """The settings file of an environment."""
    return FOLDER / f"{environment}.yaml"


def load(environment: str) -> Environment:
    """The checked settings of an environment, from `stacks/<environment>.yaml`.

    Raises SettingsError with every mistake in the file, a line each.
    """
    path = path_of(environment)
    if not path.is_file():
        raise SettingsError(
            f"Environment {environment!r} has no settings: stacks/{path.name} is not there, only "
            f"{listed(known())}."
        )
    return parse(path.read_bytes(), f"stacks/{path.name}", environment)


def parse(content: bytes | str, where: str, environment: str | None = None) -> Environment:
    """The checked settings in a document; `where` names it in messages.

    Raises SettingsError with every mistake, a line each.
    """
    written = document.read(content, where)
    queues, wrong = _queues(written, where)
    try:
        settings = document.validated(written, Environment, where)
    except ValidationError as error:
        wrong += [mistake_of(each) for each in error.errors(include_url=False)]
        rest, removed = _without_mistakes(written, error, where)
        # What fits together is looked at as well, as far as it does not touch what was wrong.
        wrong += [] if rest is None else [m for m in checks.mistakes(rest) if not _touches(m, removed)]
    else:
        wrong += checks.mistakes(settings)
    named = written.get("environment")
    if environment is not None and isinstance(named, str) and named != environment:
        wrong.append(
            Mistake("environment", f"is {named!r} and must be {environment!r}, as the file is named")
        )
    if wrong:
        raise SettingsError("\n".join(_told(mistake, where, queues) for mistake in wrong))
    return settings


def _queues(written: dict[str, Any], where: str) -> tuple[str | None, list[Mistake]]:
    """Put the queues in from the file that the settings name: what it is called in messages, and mistakes.

    Raises SettingsError when there is no reading it.
    """
    name = written.get("queues_from")
    if name is None:
        return None, []
    if "queues" in written:
        return None, [Mistake("queues_from", "is there beside `queues`; give one of them")]
    path = FOLDER / str(name)
    if not QUEUE_FILE.match(str(name)) or not path.is_file():
        raise SettingsError(
            f"{where}: queues_from: is {name!r}, and no such file is beside it; give a name such as "
            "prod.queues.yaml."
        )
    there = f"{Path(where).parent}/{name}"
    written["queues"], wrong = queue_file.read(path.read_bytes(), there)
    return there, wrong


def _told(mistake: Mistake, where: str, queues: str | None) -> str:
    """A mistake with the file that it is in."""
    if queues is not None and (mistake.at + ".").startswith("queues."):
        return queue_file.told(mistake, queues)
    return f"{where}: {mistake}"


def _without_mistakes(
    written: dict[str, Any], error: ValidationError, where: str
) -> tuple[Environment | None, list[Place]]:
    """The settings without what is wrong in them, if anything is left, and what was taken out."""
    rest, removed = copy.deepcopy(written), []
    for _ in range(3):
        for each in error.errors(include_url=False):
            place = place_of(each)
            if each["type"] == "missing":
                # It cannot be taken out: what lacks it can.
                place = place[:-1]
            removed.append(place)
            _remove(rest, place)
        try:
            return document.validated(rest, Environment, where), removed
        except ValidationError as left:
            error = left
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
    """The key as YAML has it: JSON has text alone."""
    return next((key for key in holder if str(key) == str(part)), part)


def _touches(mistake: Mistake, removed: list[Place]) -> bool:
    """Whether a mistake is about something that was taken out, or about what it was part of."""
    at = mistake.at.split(".")
    for place in removed:
        path = [str(part) for part in place]
        if (
            path[: len(at)] == at
            or at[: len(path)] == path
            or any(f"'{p}'" in mistake.says for p in path[-1:])
        ):
            return True
    return False
