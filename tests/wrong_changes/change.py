"""A wrong change, as somebody would make it, and what has to catch it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import yaml

Values = dict[str, Any]
Edit = Callable[[Values], object]
"""What is done to settings, or to the inputs of a rendered resource; in place."""


@dataclass(frozen=True)
class Wrong:
    """A wrong change of `local`.

    subject: what it is about. change: in the words of who makes it.
    settings: what it does to the settings file; `text` -> text where it is about how YAML is written.
    resource: `<last word of the type>::<logical name>` of the rendered resource that it changes instead, and
        edit: how; a change of a component's code comes to that.
    caught: by what. says: what that says; of a policy its name, of a report a finding of some weight.
    """

    subject: str
    change: str
    caught: Literal["settings", "policy", "report"]
    says: str
    settings: Edit | None = None
    text: Callable[[str], str] | None = None
    resource: str = ""
    edit: Edit | None = None
    weight: Literal["look", "stop"] = "look"
    preview: int = 1

    def changed(self, text: str) -> str:
        """The settings file after the change."""
        if self.text is not None:
            changed = self.text(text)
            assert changed != text, self.change
            return changed
        document = yaml.safe_load(text)
        if self.settings is not None:
            self.settings(document)
        return yaml.safe_dump(document, sort_keys=False)


def put(path: str, value: Any) -> Edit:
    """The edit that puts a value at a dotted path; digits are places in lists, or numbers of tiers."""

    def edit(values: Values) -> None:
        *parents, last = path.split(".")
        holder: Any = values
        for name in parents:
            holder = holder[_key(holder, name)] if isinstance(holder, list) else _child(holder, name)
        holder[_key(holder, last)] = value

    return edit


def without(path: str) -> Edit:
    """The edit that takes out what is at a dotted path."""

    def edit(values: Values) -> None:
        *parents, last = path.split(".")
        holder: Any = values
        for name in parents:
            holder = holder[_key(holder, name)]
        del holder[_key(holder, last)]

    return edit


def renamed(path: str, name: str) -> Edit:
    """The edit that gives what is at a dotted path another name."""

    def edit(values: Values) -> None:
        *parents, last = path.split(".")
        holder: Any = values
        for parent in parents:
            holder = holder[_key(holder, parent)]
        holder[name] = holder.pop(last)

    return edit


def written(old: str, new: str) -> Callable[[str], str]:
    """The change of a text in a settings file."""
    return lambda text: text.replace(old, new, 1)


def _child(holder: Values, name: str) -> Any:
    key = _key(holder, name)
    return holder.setdefault(key, {})


def _key(holder: Mapping[Any, Any] | list[Any], name: str) -> Any:
    if name.isdigit() and (isinstance(holder, list) or int(name) in holder):
        return int(name)
    return name
