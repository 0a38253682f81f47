"""One resource in a request: its row, its known properties, and the calls of the row with them."""

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Any

from aws_rules.values.request import partition
from localcloud.plugins.aws import mapping
from localcloud.plugins.aws.api import Api
from localcloud.plugins.aws.table import OLD, OTHER_INPUTS, Call, Kind, P, Step
from localcloud.plugins.values import UNKNOWN

_ABSENT: Any = object()


@dataclass
class Subject:
    """A resource that calls are made for.

    properties: outputs, and over them inputs; revealed.
    inputs: of the program. old: its earlier inputs, in an update.
    sent: properties that were part of a request so far.
    minutes: that AWS takes for what was changed so far.
    """

    api: Api
    type: str
    kind: Kind
    id: str = ""
    properties: dict[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, Any] = field(default_factory=dict)
    old: Mapping[str, Any] = field(default_factory=dict)
    sent: set[str] = field(default_factory=set)
    minutes: int = 0

    @property
    def region(self) -> str:
        """Region of the resource."""
        return str(self.properties.get("region") or self.api.region)

    def variables(self) -> dict[str, Any]:
        """Properties, and what every template may use besides."""
        return {
            **self.properties,
            "id": self.id,
            "region": self.region,
            "account": self.api.account,
            "partition": partition(self.region),
        }

    def text(self, template: str) -> str | None:
        """A template such as `{bucket}` with properties in it; None where one has no value."""
        variables = {
            name: value
            for name, value in self.variables().items()
            if value is not None and value is not UNKNOWN
        }
        try:
            return template.format_map(variables)
        except KeyError:
            return None

    def do(self, step: Step) -> Any:
        """Make a call of the row; its answer."""
        return self.call(step) if isinstance(step, Call) else step(self)

    def request(self, operation: str, **members: Any) -> Any:
        """Call the service of this type with plain members."""
        return self.api.request(self.kind.service, operation, members, self.region)

    def call(self, call: Call, more: Mapping[str, Any] | None = None) -> Any:
        """Call with the members of the row, and `more`."""
        return self.request(call.operation, **self.members(call) | dict(more or {}))

    def members(self, call: Call) -> dict[str, Any]:
        """The members of the row, with their values."""
        shape = self.api.shapes(self.kind.service, call.operation).input_shape
        rest = self._other_inputs(shape, call.members) if call.other_inputs else {}
        inputs = {name: self._value(name) for name in call.takes.split()}
        self.sent |= inputs.keys()
        members = self._rendering(call.members, shape)
        input_members = mapping.to_members(inputs, shape, self.kind.names)
        return rest | input_members | (members if members is not _ABSENT else {})

    def create(self, call: Call, more: Mapping[str, Any] | None = None) -> Any:
        """Make the call that creates it, with its tags."""
        tags = self.kind.tags.at_create(self.properties.get("tagsAll") or {}) if self.kind.tags else {}
        return self.call(call, {**tags, **(more or {})})

    def extract(self, operation: str, answer: Any, at: str) -> dict[str, Any]:
        """The structure at a path in an answer, under Pulumi's names; empty when there is none."""
        shape = self.api.shapes(self.kind.service, operation).output_shape
        members, inner = mapping.at(answer, shape, at)
        if members is None:
            return {}
        properties = mapping.from_members(members, inner, self.kind.names)
        # The service shows default tags too: `tags` are only the program's.
        properties.pop("tags", None)
        tags = self.kind.tags
        if tags and tags.read_call is None and tags.at in members:
            properties["tagsAll"] = tags.read(members[tags.at])
        return properties

    def _other_inputs(self, shape: Any, own: Container[str] = ()) -> dict[str, Any]:
        """Members for inputs that have one of their name; `own` are the row's."""
        inputs = {
            name: value
            for name, value in self.inputs.items()
            if name not in ("tags", "region")
            and name not in self.kind.arguments
            and mapping.member_of(shape, self.kind.names.get(name, name)) not in own
            and not name.startswith("__")
        }
        members = mapping.to_members(inputs, shape, self.kind.names)
        self.sent |= {
            name for name in inputs if mapping.member_of(shape, self.kind.names.get(name, name)) in members
        }
        return members

    def _rendering(self, template: Any, shape: Any) -> Any:
        if template is OTHER_INPUTS:
            return self._other_inputs(shape)
        match template:
            case P(name):
                self.sent.add(name.removeprefix(OLD))
                value = self.old.get(name.removeprefix(OLD)) if name.startswith(OLD) else self._value(name)
                return _ABSENT if value is None else mapping.to_api(value, shape, self.kind.names, name)
            case dict():
                members = {}
                for name, item in template.items():
                    inner = shape.members[name] if shape.type_name == "structure" else shape.value
                    value = self._rendering(item, inner)
                    if value is not _ABSENT:
                        members[name] = value
                return members if members or not template else _ABSENT
            case list():
                items = [self._rendering(item, shape.member) for item in template]
                present = [item for item in items if item is not _ABSENT]
                return present if present or not template else _ABSENT
            case str() if "{" in template:
                return self.text(template)
            case _:
                return template

    def _value(self, name: str) -> Any:
        if name in ("id", "account", "partition"):
            return self.variables()[name]
        value: Any = self.properties
        for step in name.split("."):
            value = value.get(step) if isinstance(value, dict) else None
        return value
