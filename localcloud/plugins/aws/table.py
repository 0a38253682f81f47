"""How a type is said: which calls make, show, change and delete it, and what is irregular about it.

A row (`Kind`) is data. What a call needs that no data says is a small function in the row's place.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class P:
    """In a request, the value of a property; the member is left out where the property has none."""

    name: str


ID = P("id")
OLD = "old:"
"""`P(OLD + name)`: the value that a property had before an update."""


class Rest:
    """In a request, all inputs that have a member of their name there."""


REST = Rest()


@dataclass(frozen=True)
class Call:
    """An operation, named as boto3 names it.

    members: request, with `P` where a property's value goes.
    rest: give all other inputs too that have a member of their name.
    """

    operation: str
    members: Mapping[str, Any] = field(default_factory=dict)
    rest: bool = False


Step = Call | Callable[..., Any]
"""A call, or a function of the `Subject` under way where data cannot say it."""


@dataclass(frozen=True)
class Look:
    """A call that shows something of a resource.

    at: where in the answer the resource is, for example `Vpcs[0]`.
    gives: properties that are called otherwise or are further down: property -> path from `at`.
    all: take every member that has a property's name.
    """

    call: Step
    at: str = ""
    gives: Mapping[str, str] = field(default_factory=dict)
    all: bool = True


@dataclass(frozen=True)
class Change:
    """How some properties change in place.

    step: done when one of them is there and has changed, and after a create that could not take them.
    without: done when none of them is there any more; by default `step`.
    """

    properties: tuple[str, ...]
    step: Step
    without: Step | None = None


@dataclass(frozen=True, kw_only=True)
class Tagging:
    """How a service keeps tags.

    create: member of the create call that takes tags.
    pairs: names of key and value where tags are a list; None where they are a map.
    put, remove: calls; `P("=tags")` and `P("=keys")` are what is to be put and removed.
    look: call that shows tags, where the type's own does not; at: where they are.
    resource: what EC2 calls the kind of resource.
    whole: tags are only known all at once: to put some is to remove the others.
    """

    create: str | None
    put: Call
    remove: Call
    pairs: tuple[str, str] | None = ("Key", "Value")
    look: Call | None = None
    at: str = "Tags"
    resource: str | None = None
    whole: bool = False

    def read(self, kept: Any) -> dict[str, str]:
        """Tags of an answer, as a map."""
        if self.pairs is None:
            return dict(kept)
        key, value = self.pairs
        return {each[key]: each.get(value, "") for each in kept}

    def written(self, tags: Mapping[str, str]) -> Any:
        """Tags as the service takes them."""
        if self.pairs is None:
            return dict(tags)
        key, value = self.pairs
        return [{key: name, value: text} for name, text in tags.items()]

    def at_create(self, tags: Mapping[str, str]) -> dict[str, Any]:
        """Members of the create call that give tags."""
        if not self.create or not tags:
            return {}
        listed = self.written(tags)
        return {self.create: [{"ResourceType": self.resource, "Tags": listed}] if self.resource else listed}


@dataclass(frozen=True)
class Name:
    """How a resource is named that the program does not name.

    property: input that holds the name; prefix: input that replaces the logical name in it.
    longest: characters; before: what every name starts with.
    """

    property: str = "name"
    prefix: str | None = "namePrefix"
    longest: int = 255
    lower: bool = False
    before: str = ""


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A type.

    service: of botocore. schema: CloudFormation type, whose data says what can only be set once.
    inputs: properties that are simulated, `!` after those that are required. outputs: further ones.
    id: path in the create's answer, or, with braces, made of properties: `{clusterName}:{addonName}`.
    after: done once it is made, and after every update. delete: done one after the other.
    identity: properties that an id to import is made of, where a look needs them; split: between them.
    names: property -> member, where they differ. one: properties that are lists of one in AWS.
    many: properties that are lists in Pulumi, and one thing in AWS.
    derived: outputs made of others. defaults: of the real provider.
    arguments: inputs that are for the plugin alone; unanswered: inputs that no answer shows.
    chosen: what AWS chooses where the program does not. volatile: outputs that an update changes.
    documents: JSON texts, compared by what they say. unordered: lists whose order means nothing.
    schema_names: property -> CloudFormation's property, where they differ.
    alone: only one can be there at a time, so that the old one goes before the new one comes.
    """

    service: str
    schema: str
    inputs: str
    create: Step
    id: str
    looks: tuple[Look, ...]
    delete: tuple[Step, ...] = ()
    after: tuple[Step, ...] = ()
    outputs: str = ""
    changes: tuple[Change, ...] = ()
    tags: Tagging | None = None
    name: Name | None = None
    identity: tuple[str, ...] = ()
    split: str = ":"
    names: Mapping[str, str] = field(default_factory=dict)
    one: frozenset[str] = frozenset()
    many: frozenset[str] = frozenset()
    derived: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    arguments: frozenset[str] = frozenset()
    unanswered: frozenset[str] = frozenset()
    chosen: frozenset[str] = frozenset()
    volatile: frozenset[str] = frozenset()
    documents: frozenset[str] = frozenset()
    unordered: frozenset[str] = frozenset()
    schema_names: Mapping[str, str] = field(default_factory=dict)
    alone: bool = False
    regional: bool = True

    @cached_property
    def input_names(self) -> frozenset[str]:
        """All inputs."""
        common = (["region"] if self.regional else []) + (["tags"] if self.tags else [])
        return frozenset([name.rstrip("!") for name in self.inputs.split()] + common)

    @cached_property
    def required(self) -> frozenset[str]:
        """Inputs that must be there."""
        return frozenset(name.rstrip("!") for name in self.inputs.split() if name.endswith("!"))

    @cached_property
    def output_names(self) -> frozenset[str]:
        """All outputs, inputs included."""
        return self.input_names | set(self.outputs.split()) | ({"tagsAll"} if self.tags else set())


def words(text: str) -> frozenset[str]:
    """A set, said in one line."""
    return frozenset(text.split())
