"""How a type is described: calls that make, show, change and delete it, and what is irregular about it.

A row (`Kind`) is data. What a call needs that no data says is a small function in the row's place.
"""

from collections.abc import Callable, Iterable, Mapping
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


class OtherInputs:
    """In a request, all inputs that have a member of their name there."""


OTHER_INPUTS = OtherInputs()


@dataclass(frozen=True)
class Call:
    """An operation, named as boto3 names it.

    members: of the request, with `P` for the value of a property.
    other_inputs: add all other inputs that have a member of their name.
    takes: properties whose values go into the members of their name.
    """

    operation: str
    members: Mapping[str, Any] = field(default_factory=dict)
    other_inputs: bool = False
    takes: str = ""


Calls = Callable[..., Iterable[tuple[str, Mapping[str, Any]]]]
"""A function of the `Subject`: operations, named as boto3 names them, and their members."""

Step = Call | Callable[..., Any]
"""A call, or a function of the `Subject` under way where data cannot say it."""


@dataclass(frozen=True)
class Read:
    """A call that shows a resource, or a part of it.

    at: where in the answer the resource is, for example `Vpcs[0]`.
    properties: with another name or further down: property -> path from `at`.
    all: take every member that has a property's name.
    """

    call: Step
    at: str = ""
    properties: Mapping[str, str] = field(default_factory=dict)
    all: bool = True


@dataclass(frozen=True)
class Change:
    """How some properties change in place.

    step: done when one of them is set and has changed, and after a create that could not take them.
    removal: done when none of them is set any more; by default `step`.
    """

    properties: tuple[str, ...]
    step: Step
    removal: Step | None = None


def change(properties: str, operation: str, key: Mapping[str, Any], removal: Step | None = None) -> Change:
    """A change by a call that takes the properties beside the members that identify the resource."""
    return Change(tuple(properties.split()), Call(operation, key, takes=properties), removal)


@dataclass(frozen=True, kw_only=True)
class Tagging:
    """How a service has tags.

    create: member of the create call for tags.
    pairs: names of key and value where tags are a list; None where they are a map.
    put, remove: calls, with `P("=tags")` and `P("=keys")` for the tags to put and the keys to remove.
    read_call: shows tags, where the type's own calls do not; at: where in the answer they are.
    resource: EC2's name of the type.
    replaces_all: to put some tags is to remove all others.
    keys_as_tags: those to remove are named by tags without a value, not by keys.
    """

    create: str | None
    put: Call
    remove: Call
    pairs: tuple[str, str] | None = ("Key", "Value")
    read_call: Call | None = None
    at: str = "Tags"
    resource: str | None = None
    replaces_all: bool = False
    keys_as_tags: bool = False

    def read(self, tags: Any) -> dict[str, str]:
        """Tags of an answer, as a map."""
        if self.pairs is None:
            return dict(tags)
        key, value = self.pairs
        return {tag[key]: tag.get(value, "") for tag in tags}

    def write(self, tags: Mapping[str, str]) -> Any:
        """Tags as the service takes them."""
        if self.pairs is None:
            return dict(tags)
        key, value = self.pairs
        return [{key: name, value: text} for name, text in tags.items()]

    def at_create(self, tags: Mapping[str, str]) -> dict[str, Any]:
        """Members of the create call for tags."""
        if not self.create or not tags:
            return {}
        members = self.write(tags)
        return {self.create: [{"ResourceType": self.resource, "Tags": members}] if self.resource else members}


def tags_by_arn(arn: str, *, is_map: bool = True, in_reads: bool = True) -> Tagging:
    """How newer services have tags: in calls that take the ARN of any of their resources.

    arn: property with the ARN. is_map: tags are a map, not a list. in_reads: the type's own reads show them.
    """
    resource = {"resourceArn": P(arn)}
    return Tagging(
        create="tags",
        pairs=None if is_map else ("Key", "Value"),
        put=Call("tag_resource", {**resource, "tags": P("=tags")}),
        remove=Call("untag_resource", {**resource, "tagKeys": P("=keys")}),
        read_call=None if in_reads else Call("list_tags_for_resource", resource),
        at="tags",
    )


@dataclass(frozen=True)
class Name:
    """How to name a resource that the program does not name.

    property: input with the name; prefix: input that replaces the logical name in it.
    max_length: characters; start: of every name. unique: something random is added to the logical name.
    """

    property: str = "name"
    prefix: str | None = "namePrefix"
    max_length: int = 255
    lower: bool = False
    start: str = ""
    unique: bool = True


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A type.

    service: of botocore. schema: CloudFormation type, whose data says what can only be set once.
    inputs: simulated properties, `!` after required ones. outputs: further ones.
    id: path in the create's answer, or, with braces, made of properties: `{clusterName}:{addonName}`.
    reads: calls that show it. delete: done in order.
    refusals: done before it is made or changed: they raise what AWS would refuse.
    final_steps: done once it is made, and after every update.
    identity: properties that an id to import is made of, if a read needs them; separator: between them.
    names: property -> member, where they differ. aws_lists: single values that are lists of one in AWS.
    pulumi_lists: lists that are single structures in AWS.
    derived: outputs made of others. defaults: of the real provider.
    fixed: further inputs, which are taken only with the value that they have here without being set.
    arguments: inputs for the plugin only; write_only: inputs that no answer shows.
    computed: properties that AWS sets where the program does not. volatile: outputs that an update changes.
    documents: JSON texts, compared by meaning. unordered: lists whose order has no meaning.
    schema_names: property -> CloudFormation's property, where they differ.
    replaced_if: property -> input that, being set, makes a change of the property a replacement.
    exclusive: only one can exist at a time, so that the old one goes before the new one comes.
    calls: where a function makes it, the calls that it makes, by which inputs are checked beforehand.
    """

    service: str
    schema: str
    inputs: str
    create: Step
    id: str
    reads: tuple[Read, ...]
    delete: tuple[Step, ...] = ()
    refusals: tuple[Step, ...] = ()
    final_steps: tuple[Step, ...] = ()
    outputs: str = ""
    changes: tuple[Change, ...] = ()
    tags: Tagging | None = None
    name: Name | None = None
    identity: tuple[str, ...] = ()
    separator: str = ":"
    names: Mapping[str, str] = field(default_factory=dict)
    aws_lists: frozenset[str] = frozenset()
    pulumi_lists: frozenset[str] = frozenset()
    derived: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    arguments: frozenset[str] = frozenset()
    write_only: frozenset[str] = frozenset()
    computed: frozenset[str] = frozenset()
    volatile: frozenset[str] = frozenset()
    documents: frozenset[str] = frozenset()
    unordered: frozenset[str] = frozenset()
    schema_names: Mapping[str, str] = field(default_factory=dict)
    replaced_if: Mapping[str, str] = field(default_factory=dict)
    exclusive: bool = False
    calls: Calls | None = None
    regional: bool = True

    @cached_property
    def input_names(self) -> frozenset[str]:
        """All inputs."""
        common = (["region"] if self.regional else []) + (["tags"] if self.tags else [])
        return frozenset([name.rstrip("!") for name in self.inputs.split()] + common)

    @cached_property
    def required(self) -> frozenset[str]:
        """Required inputs."""
        return frozenset(name.rstrip("!") for name in self.inputs.split() if name.endswith("!"))

    @cached_property
    def output_names(self) -> frozenset[str]:
        """All outputs, inputs included."""
        return self.input_names | set(self.outputs.split()) | ({"tagsAll"} if self.tags else set())


def words(text: str) -> frozenset[str]:
    """A set of words, from a text."""
    return frozenset(text.split())
