"""What pydantic finds wrong, in our words: the value, what is wrong, and what would be right."""

import difflib
from typing import Any, get_args

from pydantic_core import ErrorDetails

from stacks.settings.checks.mistake import Mistake, listed
from stacks.settings.environment import Environment
from stacks.settings.section import Section

Place = tuple[int | str, ...]
"""Where something stands in a file: keys of mappings and indexes of lists."""


def place_of(error: ErrorDetails) -> Place:
    """Where in the file something is wrong; pydantic marks what is wrong with a key itself."""
    return tuple(part for part in error["loc"] if part != "[key]")


def mistake_of(error: ErrorDetails) -> Mistake:
    """One mistake that pydantic found."""
    place = place_of(error)
    at = ".".join(str(part) for part in place)
    match error["type"]:
        case "extra_forbidden":
            says = f"unknown key; {_near(place)}"
        case "missing":
            says = f"is missing; {_wanted(place) or 'it has to be there'}"
        case "value_error":
            message = error["msg"].removeprefix("Value error, ")
            says = f"is {error['input']!r}; {message}" if isinstance(error["input"], str) else message
        case _:
            found = "the key" if error["loc"][-1] == "[key]" else "is"
            wanted = _wanted(place)
            message = error["msg"][0].lower() + error["msg"][1:]
            says = f"{found} {error['input']!r}; {message}" + (f" ({wanted})" if wanted else "")
    return Mistake(at or "settings", says)


def _near(place: Place) -> str:
    section = _section_at(place[:-1])
    if str(place[-1]) in section.instead:
        return section.instead[str(place[-1])]
    known = list(section.model_fields)
    close = difflib.get_close_matches(str(place[-1]), known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"known here: {listed(known)}"


def _wanted(place: Place) -> str:
    """What the field at a place is described as; empty where it is not."""
    field = _section_at(place[:-1]).model_fields.get(str(place[-1])) if place else None
    said = field.description if field else None
    return (said or "").split(";")[0].rstrip(".")


def _section_at(place: Place) -> type[Section]:
    """The section at a place in the file; the model's own annotations are the only source."""
    section: Any = Environment
    for part in place:
        if isinstance(section, type) and issubclass(section, Section) and part in section.model_fields:
            section = section.model_fields[str(part)].annotation
        else:  # a key of a mapping, or an index of a list: what matters is what it holds
            section = get_args(section)[-1] if get_args(section) else section
        section = next((each for each in get_args(section) if _is_section(each)), section)
    return section if _is_section(section) else Section


def _is_section(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, Section)
