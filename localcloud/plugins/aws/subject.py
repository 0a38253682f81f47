"""One resource under way: its row, what is known of it, and the calls of its row made with that."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from localcloud.plugins.aws import mapping
from localcloud.plugins.aws.api import Api, partition
from localcloud.plugins.aws.table import OLD, REST, Call, Kind, P, Step

_ABSENT: Any = object()


@dataclass
class Subject:
    """A resource that calls are made for.

    properties: what is known: outputs, and above them inputs; without secrets.
    inputs: what the program gives. old: what it gave before, in an update.
    taken: properties that have gone into a request so far.
    """

    api: Api
    type: str
    kind: Kind
    id: str = ""
    properties: dict[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, Any] = field(default_factory=dict)
    old: Mapping[str, Any] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)

    @property
    def region(self) -> str:
        """Region of the resource."""
        return str(self.properties.get("region") or self.api.region)

    def known(self) -> dict[str, Any]:
        """Properties, and what every template may speak of."""
        return {
            **self.properties,
            "id": self.id,
            "region": self.region,
            "account": self.api.account,
            "partition": partition(self.region),
        }

    def text(self, template: str) -> str | None:
        """A template such as `{bucket}` with properties in it; None where one has no value."""
        known = {name: value for name, value in self.known().items() if value is not None}
        try:
            return template.format_map(known)
        except KeyError:
            return None

    def do(self, step: Step) -> Any:
        """Make a call of the row; its answer."""
        return self.call(step) if isinstance(step, Call) else step(self)

    def ask(self, operation: str, **members: Any) -> Any:
        """Call the service of this type with plain members."""
        return self.api.call(self.kind.service, operation, members, self.region)

    def call(self, call: Call, more: Mapping[str, Any] | None = None) -> Any:
        """Call with the members that the row says, and `more`."""
        shape = self.api.shapes(self.kind.service, call.operation).input_shape
        members = self._rendered(call.members, shape)
        rest = self._rest(shape) if call.rest else {}
        given = rest | (members if members is not _ABSENT else {}) | dict(more or {})
        return self.ask(call.operation, **given)

    def shown(self, operation: str, answer: Any, at: str) -> dict[str, Any]:
        """What an answer says at a path, under Pulumi's names; nothing when nothing is there."""
        shape = self.api.shapes(self.kind.service, operation).output_shape
        found, inner = mapping.at(answer, shape, at)
        if found is None:
            return {}
        part = mapping.from_members(found, inner, self.kind.names)
        tags = self.kind.tags
        if tags and tags.look is None and tags.at in found:
            part["tagsAll"] = tags.read(found[tags.at])
        return part

    def _rest(self, shape: Any) -> dict[str, Any]:
        given = {
            name: value
            for name, value in self.inputs.items()
            if name not in ("tags", "region")
            and name not in self.kind.arguments
            and not name.startswith("__")
        }
        members = mapping.to_members(given, shape, self.kind.names)
        self.taken |= {
            name for name in given if mapping.member_of(shape, self.kind.names.get(name, name)) in members
        }
        return members

    def _rendered(self, template: Any, shape: Any) -> Any:
        if template is REST:
            return self._rest(shape)
        match template:
            case P(name):
                self.taken.add(name.removeprefix(OLD))
                value = self.old.get(name.removeprefix(OLD)) if name.startswith(OLD) else self._value(name)
                return _ABSENT if value is None else mapping.to_api(value, shape, self.kind.names, name)
            case dict():
                made = {}
                for name, item in template.items():
                    inner = shape.members[name] if shape.type_name == "structure" else shape.value
                    value = self._rendered(item, inner)
                    if value is not _ABSENT:
                        made[name] = value
                return made if made or not template else _ABSENT
            case list():
                items = [self._rendered(item, shape.member) for item in template]
                kept = [item for item in items if item is not _ABSENT]
                return kept if kept or not template else _ABSENT
            case str() if "{" in template:
                return self.text(template)
            case _:
                return template

    def _value(self, name: str) -> Any:
        if name in ("id", "account", "partition"):
            return self.known()[name]
        value: Any = self.properties
        for step in name.split("."):
            value = value.get(step) if isinstance(value, dict) else None
        return value
