"""Reading a settings file: every mistake in it at once, or the settings."""

import copy
import json
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from stacks.settings import checks, document
from stacks.settings.checks.mistake import Mistake, listed
from stacks.settings.environment import Environment
from stacks.settings.section import SettingsError
from stacks.settings.wording import Place, mistake_of, place_of

FOLDER = Path(__file__).resolve().parent.parent


def known() -> list[str]:
    """Environments that have a settings file."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml") if not path.stem.startswith("Pulumi"))


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
    wrong: list[Mistake] = []
    try:
        settings = _validated(written, where)
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
        raise SettingsError("\n".join(f"{where}: {mistake}" for mistake in wrong))
    return settings


def _validated(written: dict[str, Any], where: str) -> Environment:
    """The settings, taken strictly: 2 is no text, and "2" no number. Dates and the like are text."""
    try:
        text = json.dumps(written, default=str)
    except ValueError:
        raise SettingsError(f"{where} holds itself: take the YAML alias out that does it.") from None
    return Environment.model_validate_json(text, strict=True)


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
            return _validated(rest, where), removed
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
