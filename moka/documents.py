"""Files that people write, in YAML: read strictly, with every mistake in one form.

A kind of file (settings, jobs, queues) is a pydantic model of `Section`s and a `DocumentKind`.
"""

import json
import re
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from types import UnionType
from typing import Annotated, Any, ClassVar, Generic, TypeVar, Union, get_args, get_origin

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationError,
)
from pydantic_core import CoreSchema, ErrorDetails
from pydantic_core.core_schema import no_info_after_validator_function

from moka.mistakes import InvalidDocument, Mistake, close_match, comma_list
from moka.plain_secrets import plain_secrets
from moka.quantities import memory_bytes

MAX_MIB = 4
"""Size of a file. The largest that anybody needs, jobs by the thousand, has one."""

MAX_VALUES = 100_000
"""Keys and values of a document, those that an alias repeats counted each time; stacks/prod.yaml has 800."""

MAX_MISTAKES = 200
"""Mistakes of a document that are listed; of others there is their number."""

BOOLEANS = ("true", "false", "yes", "no")

MAX_SHOWN = 200
"""Characters of a wrong value that a message repeats."""


@dataclass(frozen=True)
class Form:
    """Text that matches a pattern, in ASCII; other text is refused with how to write it."""

    pattern: str
    sentence: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return no_info_after_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {**handler(schema), "pattern": f"^{self.pattern}$"}

    def _check(self, text: str) -> str:
        if not re.fullmatch(self.pattern, text, re.ASCII):
            raise ValueError(self.sentence)
        return text


Name = Annotated[
    str,
    Form(
        r"[a-z]([a-z0-9-]{0,28}[a-z0-9])?",
        "write lower case, digits and dashes, at most 30, a letter first and no dash last",
    ),
]
"""A name that is part of resource names."""


def _countable(quantity: str) -> str:
    """Kubernetes counts thousandths of a core, and bytes, in 63 bits."""
    if memory_bytes(quantity) >= 2**63:
        raise ValueError("that is more than Kubernetes can count; lower it")
    return quantity


Cpu = Annotated[str, Form(r"[1-9]\d{0,14}m?", "write cores as '4' or 500m")]
Memory = Annotated[
    str, Form(r"[1-9]\d{0,12}(Mi|Gi|Ti)", "write memory as 512Mi, 64Gi or 2Ti"), AfterValidator(_countable)
]
"""Amounts of a cluster's resources: Kubernetes quantities, in the units that people use for them."""

Count = Annotated[int, Field(ge=1, le=2**31 - 1)]
"""A number of things, as far as every program here can count."""

Place = tuple[int | str, ...]
"""Where something stands in a file: keys of mappings and indexes of lists."""


class Section(BaseModel):
    """A part of a document: frozen, and unknown keys are mistakes."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True)

    instead: ClassVar[Mapping[str, str]] = {}
    """Keys that one may expect here, and what to do instead."""


S = TypeVar("S", bound=Section)


@dataclass(frozen=True, kw_only=True)
class DocumentKind(Generic[S]):
    """A kind of file.

    model: its keys and values.
    example: a valid file of this repository, for messages.
    noun: name of the whole in messages.
    """

    model: type[S]
    example: str
    noun: str

    def read(self, content: bytes | str, where: str) -> dict[str, Any]:
        """Keys and values of a file with one document; `where` names it in messages.

        Raises InvalidDocument when it is not text, YAML and a mapping, or has a key twice.
        """
        documents = self.read_all(content, where)
        if not documents:
            raise InvalidDocument(f"{where} is empty: write keys and values, as in {self.example}.")
        if len(documents) > 1:
            raise InvalidDocument(f"{where} has {len(documents)} YAML documents: keep one of them.")
        if not isinstance(documents[0], dict):
            raise InvalidDocument(f"{where} must have keys and values, as in {self.example}.")
        return documents[0]

    def read_all(self, content: bytes | str, where: str) -> list[Any]:
        """The YAML documents of a file, the empty ones left out.

        Raises InvalidDocument when it is not text and YAML, is too large, or has a key twice, or a secret in
        plain.
        """
        if len(content) > MAX_MIB * 2**20:
            raise InvalidDocument(f"{where} has more than {MAX_MIB} MiB: write it like {self.example}.")
        try:
            text = content if isinstance(content, str) else content.decode()
        except UnicodeDecodeError as error:
            raise InvalidDocument(
                f"{where} is not text: byte {error.start + 1} is not UTF-8; write it as YAML."
            ) from None
        try:
            loader = _Loader(text)
            documents = list(_documents(loader))
        except _Unbounded as error:
            raise InvalidDocument(f"{where} {error}.") from None
        except yaml.YAMLError as error:
            raise InvalidDocument(f"{where} is not YAML: {' '.join(str(error).split())}.") from None
        except RecursionError:
            raise InvalidDocument(f"{where} {self._too_deep}.") from None
        if loader.wrong_keys:
            raise InvalidDocument("\n".join(f"{where}: {sentence}." for sentence in loader.wrong_keys))
        # Alone: what else is wrong would be said with values.
        if secrets := [mistake for document in documents for mistake in plain_secrets(document)]:
            raise InvalidDocument("\n".join(f"{where}: {mistake}" for mistake in secrets))
        return documents

    def validate(self, data: Mapping[Any, Any], where: str) -> S:
        """Plain data as the model, strictly: 2 is not text, "2" is not a number. Dates are text.

        Raises ValidationError with the mistakes in it, and InvalidDocument when it is nested too deeply, or
        has numbers or text that JSON cannot have.
        """
        try:
            text = json.dumps(data, default=str)
        except ValueError:
            raise InvalidDocument(f"{where} has a number of thousands of digits: correct it.") from None
        except RecursionError:
            raise InvalidDocument(f"{where} {self._too_deep}.") from None
        try:
            return self.model.model_validate_json(text, strict=True)
        except ValidationError as error:
            [first, *_] = error.errors(include_url=False)
            if first["type"] == "json_invalid":
                # JSON that Python wrote and pydantic does not read: about 200 levels, and half characters.
                deep = "recursion" in first["msg"]
                sentence = (
                    self._too_deep if deep else "has half of a character (\\ud800 to \\udfff): remove it"
                )
                raise InvalidDocument(f"{where} {sentence}.") from None
            raise

    def mistakes(self, error: ValidationError) -> list[Mistake]:
        """pydantic's errors as mistakes, each once."""
        errors = error.errors(include_url=False)
        mistakes = dict.fromkeys(self._mistake(details) for details in errors[:MAX_MISTAKES])
        if (more := len(errors) - MAX_MISTAKES) > 0:
            mistakes[Mistake(self.noun, f"has {more} more mistakes; correct these first")] = None
        return list(mistakes)

    def places(self, error: ValidationError) -> Iterator[tuple[str, Place]]:
        """pydantic's type of each error, and its place in the file."""
        for details in error.errors(include_url=False):
            yield details["type"], _location(self.model, details["loc"])[0]

    def schema(self) -> str:
        """The kind as JSON Schema, so that an editor completes and checks its files."""
        dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
        return json.dumps({**dialect, **self.model.model_json_schema()}, indent=2) + "\n"

    @property
    def _too_deep(self) -> str:
        return f"is nested too deeply: write it like {self.example}"

    def _mistake(self, error: ErrorDetails) -> Mistake:
        place, section = _location(self.model, error["loc"])
        key = str(place[-1]) if place else ""
        description = _description(section, key)
        hint = f" ({description})" if description else ""
        value = _excerpt(error["input"])
        subject = "the key" if error["loc"] and error["loc"][-1] == "[key]" else "is"
        match error["type"]:
            case "extra_forbidden":
                sentence = f"unknown key; {_alternative(section, key)}"
            case "missing":
                sentence = f"is missing{hint}"
            case "value_error":
                message = error["msg"].removeprefix("Value error, ")
                sentence = f"{subject} {value}; {message}" if isinstance(error["input"], str) else message
            case _:
                message = error["msg"][0].lower() + error["msg"][1:]
                sentence = f"{subject} {value}; {message}{hint}{_remedy(error)}"
        return Mistake(".".join(str(part) for part in place) or self.noun, sentence)


class _Unbounded(Exception):
    """A document with far more in it than anybody writes, or without an end."""


_KEYS = (str, int, float, bool, type(None))
"""What a key may be, here as in JSON."""


class _Loader(yaml.SafeLoader):
    """YAML 1.1, but bounded, and a duplicate key is a mistake, not the loss of the first value.

    Not PyYAML's loader in C, though it is faster: with it, a deeply nested file ends the process.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.wrong_keys: list[str] = []
        self.values = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        self.values += 1
        if self.values > MAX_VALUES:
            raise _Unbounded(f"has more than {MAX_VALUES} keys and values: divide it")
        node: yaml.Node | None = super().compose_node(parent, index)
        return node

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except (ValueError, TypeError, KeyError, IndexError, AttributeError):
            # A date in a 13th month, a number of thousands of digits, a tag such as !!bool before other text.
            kind = node.tag.rpartition(":")[2]
            raise yaml.constructor.ConstructorError(
                None,
                None,
                f"{_excerpt(node.value)} cannot be read as {kind}: correct it, or put it in quotes",
                node.start_mark,
            ) from None

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        lines: dict[str, int] = {}
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            if not isinstance(key, yaml.ScalarNode) or key.value == "<<":
                continue
            line = key.start_mark.line + 1
            constructed = self.construct_object(key)
            if not isinstance(constructed, _KEYS):
                self.wrong_keys.append(f"line {line}: {key.value} is read as a date; put it in quotes")
            # In YAML `yes` and `true`, or 1 and 0x1, are one key; in JSON, 1 and "1" are, too.
            name = constructed if isinstance(constructed, str) else json.dumps(constructed, default=str)
            if name in lines:
                self.wrong_keys.append(
                    f"line {line}: {key.value} is a duplicate of line {lines[name]}; rename or remove "
                    "one of the two"
                )
            lines.setdefault(name, line)
        return super().construct_mapping(node, deep)


def _documents(loader: _Loader) -> Iterator[Any]:
    while loader.check_node():
        node = loader.get_node()
        assert node is not None
        if _count(node, {}) > MAX_VALUES:
            raise _Unbounded(
                f"has more than {MAX_VALUES} keys and values where its YAML aliases repeat others: write out "
                "what differs, and repeat less"
            )
        if (document := loader.construct_document(node)) is not None:
            yield document


def _count(node: yaml.Node, counts: dict[yaml.Node, int | None]) -> int:
    """Keys and values of a node, those of an alias counted each time, without visiting them each time.

    counts: what is known; None of a node that is being counted.
    """
    if node not in counts:
        counts[node] = None
        parts = node.value if isinstance(node, yaml.CollectionNode) else ()
        inner = (part for entry in parts for part in (entry if isinstance(entry, tuple) else (entry,)))
        counts[node] = 1 + sum(_count(part, counts) for part in inner)
    count = counts[node]
    if count is None:
        raise _Unbounded(f"contains itself, in line {node.start_mark.line + 1}: remove the YAML alias in it")
    return count


def _remedy(error: ErrorDetails) -> str:
    """What to do about a value of another type, where that is plain; else empty."""
    match error["type"], error["input"]:
        case "string_type", float():
            return "; put it in quotes"
        case "int_type" | "bool_type", str(text) if text.removeprefix("-").isdigit() or text in BOOLEANS:
            return "; remove the quotes"
        case "list_type", str(text) if len(text) < MAX_SHOWN:
            return f"; put it in brackets, [{text}]"
        case "model_type" | "dict_type", None:
            return "; nothing is written there, so write {} or what it has"
    return ""


def _excerpt(value: object) -> str:
    """A value for a message; of a very long one, its beginning."""
    text = repr(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."


def _location(model: type[Section], loc: Place) -> tuple[Place, type[Section]]:
    """The place in the file of pydantic's location, and the section that has, or lacks, its last part.

    pydantic also names a wrong key (`[key]`) and the types of a union that it tried; the file has neither.
    """
    place: list[int | str] = []
    annotation: Any = model
    holder: type[Section] = Section
    for part in loc:
        options = [_plain(option) for option in _options(annotation)]
        section = next((option for option in options if _is_section(option)), None)
        container = next((option for option in options if get_origin(option) in (dict, list, tuple)), None)
        if part == "[key]" or (section is None and container is None):
            continue
        place.append(part)
        if section is not None:
            field = section.model_fields.get(str(part))
            holder, annotation = section, field.annotation if field else None
        else:
            holder, annotation = Section, get_args(container)[-1]
    return tuple(place), holder


def _options(annotation: Any) -> tuple[Any, ...]:
    plain = _plain(annotation)
    return get_args(plain) if get_origin(plain) in (Union, UnionType) else (plain,)


def _plain(annotation: Any) -> Any:
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    return annotation


def _is_section(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, Section)


def _alternative(section: type[Section], key: str) -> str:
    if key in section.instead:
        return section.instead[key]
    match = close_match(key, section.model_fields)
    return f"did you mean {match!r}?" if match else f"known here: {comma_list(section.model_fields)}"


def _description(section: type[Section], key: str) -> str:
    """Description of the field up to the first semicolon; empty where it has none."""
    field = section.model_fields.get(key)
    return ((field.description if field else None) or "").split(";")[0].rstrip(".")
