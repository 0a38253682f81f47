"""Reading a settings file: every mistake in it at once, or the settings."""

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from stacks.settings import checks
from stacks.settings.environment import Environment
from stacks.settings.section import Section, SettingsError

FOLDER = Path(__file__).resolve().parent.parent


def path_of(environment: str) -> Path:
    """The settings file of an environment."""
    return FOLDER / f"{environment}.yaml"


def load(environment: str) -> Environment:
    """The checked settings of an environment, from `stacks/<environment>.yaml`.

    Raises SettingsError with every mistake in the file, a line each.
    """
    path = path_of(environment)
    if not path.is_file():
        known = ", ".join(sorted(p.stem for p in FOLDER.glob("*.yaml") if not p.stem.startswith("Pulumi")))
        raise SettingsError(
            f"Environment {environment!r} has no settings: stacks/{path.name} is not there, only {known}."
        )
    return parse(path.read_text(), f"stacks/{path.name}", environment)


def parse(text: str, where: str, environment: str | None = None) -> Environment:
    """The checked settings in a text; `where` names it in messages."""
    try:
        written = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise SettingsError(f"{where} is not YAML: {' '.join(str(error).split())}.") from None
    if not isinstance(written, dict):
        raise SettingsError(f"{where} must hold keys and values, as stacks/local.yaml does.")
    try:
        settings = Environment.model_validate(written)
    except ValidationError as error:
        raise SettingsError("\n".join(_mistakes(error, where))) from None
    if wrong := list(checks.mistakes(settings)):
        raise SettingsError("\n".join(f"{where}: {mistake}." for mistake in wrong))
    if environment is not None and settings.environment != environment:
        raise SettingsError(
            f"{where}: environment is {settings.environment!r} and must be {environment!r}, "
            "as the file is named."
        )
    return settings


def _mistakes(error: ValidationError, where: str) -> Iterator[str]:
    for mistake in error.errors(include_url=False):
        at = ".".join(str(part) for part in mistake["loc"] if part != "[key]")
        if mistake["type"] == "extra_forbidden":
            yield f"{where}: {at}: unknown key; {_near(mistake['loc'])}"
        elif mistake["type"] == "missing":
            yield f"{where}: {at}: is missing."
        elif mistake["type"] == "value_error":
            message = mistake["msg"].removeprefix("Value error, ")
            yield f"{where}: {at + ': ' if at else ''}{message}."
        else:
            yield f"{where}: {at}: is {mistake['input']!r}; {mistake['msg'][0].lower()}{mistake['msg'][1:]}."


def _near(location: tuple[int | str, ...]) -> str:
    known = _keys_at(location[:-1])
    close = difflib.get_close_matches(str(location[-1]), known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"known here: {', '.join(sorted(known))}."


def _keys_at(location: tuple[int | str, ...]) -> list[str]:
    """Keys of the section at a place in the file; the model's own annotations are the only source."""
    section: Any = Environment
    for part in location:
        if isinstance(section, type) and issubclass(section, Section) and part in section.model_fields:
            section = section.model_fields[str(part)].annotation
        else:  # a key of a mapping, or an index of a list: what matters is what it holds
            section = section.__args__[-1]
    return list(section.model_fields) if isinstance(section, type) and issubclass(section, Section) else []
