"""The YAML of a settings file, as plain data and as what a model makes of it."""

import json
from collections.abc import Hashable
from typing import Any, TypeVar

import yaml
from pydantic import ValidationError

from stacks.settings.section import Section, SettingsError

S = TypeVar("S", bound=Section)

TOO_DEEP = "is nested too deeply: write it as stacks/local.yaml is"


class _Loader(yaml.SafeLoader):
    """YAML 1.1 as everywhere, but a key that is there twice is a mistake and not the loss of the first.

    Not PyYAML's loader in C, though it is faster: a file that is nested deeply ends the process there.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.twice: list[str] = []

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: dict[str, int] = {}
        for key, _ in node.value:
            line = key.start_mark.line + 1
            first = seen.setdefault(key.value, line) if isinstance(key.value, str) else line
            if first != line:
                self.twice.append(
                    f"line {line}: {key.value} is there already, on line {first}; "
                    "give one of the two another name, or take it out"
                )
        return super().construct_mapping(node, deep)


def read(content: bytes | str, where: str) -> dict[str, Any]:
    """Keys and values of a YAML document; `where` names it in messages.

    Raises SettingsError when it is no text, no YAML, no mapping, or has a key twice.
    """
    try:
        text = content if isinstance(content, str) else content.decode()
    except UnicodeDecodeError as error:
        raise SettingsError(
            f"{where} is not text: byte {error.start + 1} is no UTF-8; write it as YAML."
        ) from None
    try:
        loader = _Loader(text)
        written = loader.get_single_data()
    except yaml.YAMLError as error:
        raise SettingsError(f"{where} is not YAML: {' '.join(str(error).split())}.") from None
    except RecursionError:
        raise SettingsError(f"{where} {TOO_DEEP}.") from None
    if loader.twice:
        raise SettingsError("\n".join(f"{where}: {sentence}." for sentence in loader.twice))
    if written is None:
        raise SettingsError(f"{where} is empty: write keys and values, as stacks/local.yaml has them.")
    if not isinstance(written, dict):
        raise SettingsError(f"{where} must hold keys and values, as stacks/local.yaml does.")
    return written


def validated(written: dict[str, Any], section: type[S], where: str) -> S:
    """What a section makes of plain data, taken strictly: 2 is no text, and "2" no number. Dates are text.

    Raises ValidationError with what is wrong in it, and SettingsError when it holds itself or is too deep.
    """
    try:
        text = json.dumps(written, default=str)
    except ValueError:
        raise SettingsError(f"{where} holds itself: take the YAML alias out that does it.") from None
    except RecursionError:
        raise SettingsError(f"{where} {TOO_DEEP}.") from None
    try:
        return section.model_validate_json(text, strict=True)
    except ValidationError as error:
        if error.errors(include_url=False)[0]["type"] == "json_invalid":
            # JSON that Python wrote and pydantic does not read: about 200 levels.
            raise SettingsError(f"{where} {TOO_DEEP}.") from None
        raise
