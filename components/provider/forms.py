"""Annotations of arguments as schemas of Pulumi, and values of other languages as what the annotations say.

A form says of one annotation what the package's schema says of it, and reads a value that a program in any
language gives (https://www.pulumi.com/docs/iac/guides/building-extending/packages/schema/).
"""

import collections.abc
import dataclasses
import inspect
import re
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import Any, Literal, Protocol

import pulumi
import pulumi_eks as eks

from moka import catalog
from moka.catalog import Catalog

Spec = dict[str, Any]
"""A property, or a type, of a Pulumi schema."""


class Misfit(Exception):
    """A value that an input does not take: where, and why, in words that end a sentence."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{place} {reason}")
        self.place: str = place
        self.reason: str = reason


class Form(Protocol):
    """What values of an annotation are like."""

    def spec(self) -> Spec:
        """What a schema says of them."""

    def read(self, value: Any, place: str) -> Any:
        """A value of another language as the annotation has it. Raises Misfit."""


@dataclass(frozen=True)
class Scalar:
    """Text, a number, or yes and no."""

    kind: type

    NAMES: typing.ClassVar = {str: "string", int: "integer", float: "number", bool: "boolean"}

    def spec(self) -> Spec:
        """Its name in JSON Schema."""
        return {"type": self.NAMES[self.kind]}

    def read(self, value: Any, place: str) -> Any:
        """Numbers come as floats, whatever they are."""
        whole = isinstance(value, float) and value.is_integer() and self.kind is int
        value = int(value) if whole else value
        numeric = self.kind is float and isinstance(value, int)
        if isinstance(value, bool) != (self.kind is bool) or not (isinstance(value, self.kind) or numeric):
            raise Misfit(place, f"is {value!r}: give it a {self.NAMES[self.kind]}")
        return value


@dataclass(frozen=True)
class Choice:
    """One of a few texts."""

    values: tuple[str, ...]

    def spec(self) -> Spec:
        """Text; schemas have no other short form."""
        return {"type": "string"}

    def read(self, value: Any, place: str) -> Any:
        """The text."""
        if value not in self.values:
            raise Misfit(place, f"is {value!r}: it can be {' or '.join(map(repr, self.values))}")
        return value


@dataclass(frozen=True)
class Anything:
    """What no annotation says more of, such as values of a chart."""

    def spec(self) -> Spec:
        """Anything."""
        return {"$ref": "pulumi.json#/Any"}

    def read(self, value: Any, place: str) -> Any:
        """As it is."""
        return value


@dataclass(frozen=True)
class ResourceOf:
    """A resource of another package."""

    kind: type

    def spec(self) -> Spec:
        """Anything: a reference to a type of another package would make every SDK depend on that one's."""
        return {"$ref": "pulumi.json#/Any"}

    def read(self, value: Any, place: str) -> Any:
        """The resource, or an output of it: what takes it takes both."""
        return value


@dataclass(frozen=True)
class Items:
    """Several of a kind, in order: of any number, or one for each form."""

    forms: tuple[Form, ...]
    several: bool = True

    def spec(self) -> Spec:
        """A list."""
        return {"type": "array", "items": self.forms[0].spec()}

    def read(self, value: Any, place: str) -> Any:
        """A tuple, as arguments cannot change."""
        if not isinstance(value, list | tuple):
            raise Misfit(place, f"is {value!r}: give it a list")
        if not self.several and len(value) != len(self.forms):
            raise Misfit(place, f"has {len(value)} items: give it {len(self.forms)}")
        forms = self.forms * len(value) if self.several else self.forms
        return tuple(
            form.read(item, f"{place}[{n}]") for n, (form, item) in enumerate(zip(forms, value, strict=True))
        )


@dataclass(frozen=True)
class Entries:
    """Values of a kind by names."""

    form: Form

    def spec(self) -> Spec:
        """A map."""
        return {"type": "object", "additionalProperties": self.form.spec()}

    def read(self, value: Any, place: str) -> Any:
        """A dict."""
        if not isinstance(value, Mapping):
            raise Misfit(place, f"is {value!r}: give it a map")
        return {name: self.form.read(item, f"{place}.{name}") for name, item in value.items()}


@dataclass(frozen=True)
class Given:
    """What may be known only once something else is deployed, `pulumi.Input`."""

    form: Form

    def spec(self) -> Spec:
        """Of what it is once known."""
        return self.form.spec()

    def read(self, value: Any, place: str) -> Any:
        """An output that is read once it is known, where any of it is not yet."""
        if _has_output(value):
            return pulumi.Output.from_input(value).apply(
                lambda resolved_value: self.form.read(resolved_value, place)
            )
        return self.form.read(value, place)


def _has_output(value: Any) -> bool:
    match value:
        case Mapping():
            return any(_has_output(item) for item in value.values())
        case list() | tuple():
            return any(_has_output(item) for item in value)
    return isinstance(value, pulumi.Output)


@dataclass(frozen=True)
class OneOf:
    """One of several records, which its keys tell."""

    forms: tuple[Form, ...]

    def spec(self) -> Spec:
        """One of them."""
        return {"oneOf": [form.spec() for form in self.forms]}

    def read(self, value: Any, place: str) -> Any:
        """The first that takes it."""
        misfits = []
        for form in self.forms:
            try:
                return form.read(value, place)
            except Misfit as misfit:
                misfits.append(misfit)
        raise misfits[0]


@dataclass(frozen=True)
class Property:
    """A field of a record.

    name: in Python. key: in other languages.
    """

    name: str
    form: Form
    required: bool

    @property
    def key(self) -> str:
        """`pod_cidrs` is `podCidrs`."""
        return camel_case(self.name)

    def spec(self) -> Spec:
        """Of its form; plain, where it has to be known before anything is deployed."""
        return self.form.spec() | ({} if isinstance(self.form, Given | ResourceOf) else {"plain": True})


@dataclass(frozen=True)
class Record:
    """Arguments, or a part of them: a dataclass."""

    kind: type

    @property
    def token(self) -> str:
        """Its name as a type: `moka:aws:TransitGateway`, `moka:sizes:FluentBitSize`."""
        path = self.kind.__module__.removeprefix("moka.").removeprefix("components.").split(".")
        return f"moka:{path[0]}:{self.kind.__name__}"

    @property
    def properties(self) -> list[Property]:
        """Its fields that others can give: the catalog is the one of this version."""
        annotations = hints(self.kind)
        return [
            Property(field.name, form, _required(field))
            for field in dataclasses.fields(self.kind)
            if annotations[field.name] is not Catalog
            and (form := form_of(annotations[field.name])) is not None
        ]

    def spec(self) -> Spec:
        """A reference to its type."""
        return {"$ref": f"#/types/{self.token}"}

    def described(self) -> Spec:
        """Its type."""
        meanings = described_fields(self.kind)
        return {
            "type": "object",
            "description": inspect.getdoc(self.kind) or "",
            "properties": {
                property.key: property.spec()
                | ({"description": meanings[property.name]} if property.name in meanings else {})
                for property in self.properties
            },
            "required": [property.key for property in self.properties if property.required],
        }

    def read(self, value: Any, place: str) -> Any:
        """The dataclass. Raises Misfit, also with what it refuses itself."""
        if isinstance(value, pulumi.Output):
            raise Misfit(place, NOT_KNOWN)
        if not isinstance(value, Mapping):
            raise Misfit(place, f"is {value!r}: give it a map")
        properties = {property.key: property for property in self.properties}
        if unknown := sorted(value.keys() - properties.keys()):
            near = get_close_matches(unknown[0], properties, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(properties)}."
            raise Misfit(_at(place, unknown[0]), f"is no input; {hint}")
        arguments = {}
        for key, property in properties.items():
            if value.get(key) is not None:
                arguments[property.name] = _read(property, value[key], _at(place, key))
            elif property.required:
                raise Misfit(_at(place, key), "is missing")
        if any(hint is Catalog for hint in hints(self.kind).values()):
            arguments["catalog"] = catalog.read()
        try:
            return self.kind(**arguments)
        except ValueError as error:
            raise Misfit(place or self.kind.__name__, f"is refused: {error}") from None


NOT_KNOWN = "is known only once something else is deployed, and it decides what there is: write it out"


def _read(property: Property, value: Any, place: str) -> Any:
    if isinstance(value, pulumi.Output) and not isinstance(property.form, Given | ResourceOf):
        raise Misfit(place, NOT_KNOWN)
    return property.form.read(value, place)


def _at(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key


def _required(field: "dataclasses.Field[Any]") -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def camel_case(name: str) -> str:
    """A name of Python as others write it: `pod_cidrs` -> `podCidrs`."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


@cache
def hints(annotated: Any) -> dict[str, Any]:
    """Annotations of a class or a function. That of `pulumi.Input` has names of its own module in quotes."""
    names = {"Output": pulumi.Output, "Input": pulumi.Input, "T": Any}
    return typing.get_type_hints(annotated, localns=names)


def form_of(annotation: Any) -> Form | None:
    """The form of an annotation; None where no other language has such values."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation in Scalar.NAMES:
        return Scalar(annotation)
    if annotation is Any:
        return Anything()
    if annotation is eks.Cluster:
        return ResourceOf(annotation)
    if dataclasses.is_dataclass(annotation) and isinstance(annotation, type):
        return Record(annotation)
    if origin is Literal:
        return Choice(arguments)
    if origin in (typing.Union, types.UnionType):
        return _form_of_union(arguments)
    if origin is pulumi.Output:
        return _wrapped_form(Given, arguments)
    if origin in (list, collections.abc.Sequence):
        return _wrapped_form(lambda form: Items((form,)), arguments)
    if origin is tuple:
        forms = [form_of(argument) for argument in arguments if argument is not Ellipsis]
        known_forms = tuple(form for form in forms if form is not None)
        return Items(known_forms, several=Ellipsis in arguments) if len(known_forms) == len(forms) else None
    if origin in (dict, collections.abc.Mapping):
        return _wrapped_form(Entries, arguments[1:])
    return None


def _wrapped_form(wrap: Any, arguments: tuple[Any, ...]) -> Form | None:
    form = form_of(arguments[0])
    return None if form is None else wrap(form)


def _form_of_union(members: tuple[Any, ...]) -> Form | None:
    """Of what may be left out, an Input, or several records."""
    awaited = any(typing.get_origin(member) is collections.abc.Awaitable for member in members)
    beside = (collections.abc.Awaitable, pulumi.Output) if awaited else ()
    plain = [
        member for member in members if member is not type(None) and typing.get_origin(member) not in beside
    ]
    forms = [form for member in plain if (form := form_of(member)) is not None]
    if len(forms) != len(plain):
        return None
    form = forms[0] if len(forms) == 1 else OneOf(tuple(forms))
    return Given(form) if awaited else form


def records(form: Form | None) -> Iterator[Record]:
    """The records in a form, itself too, and in those; each once."""
    seen_records: set[Record] = set()

    def within(form: Form | None) -> Iterator[Record]:
        match form:
            case Record() if form not in seen_records:
                seen_records.add(form)
                yield form
                for property in form.properties:
                    yield from within(property.form)
            case Items(forms) | OneOf(forms):
                for part in forms:
                    yield from within(part)
            case Entries(inner) | Given(inner):
                yield from within(inner)

    yield from within(form)


def described_fields(kind: type) -> dict[str, str]:
    """What the docstrings of a dataclass and of those that it extends say of its fields: name -> meaning."""
    meanings: dict[str, str] = {}
    # `name: meaning`, or several names with commas, over lines that are further in.
    fields = r"^(\w+(?:, \w+)*): (.+(?:\n +.+)*)"
    for base in reversed([base for base in kind.__mro__ if dataclasses.is_dataclass(base)]):
        for names, text in re.findall(fields, inspect.cleandoc(base.__doc__ or ""), re.MULTILINE):
            meanings |= {name: re.sub(r"\s+", " ", text) for name in names.split(", ")}
    return meanings
