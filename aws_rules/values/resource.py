"""A resource against CloudFormation's schema of its type in its region."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from aws_rules.rule import Rule, Unknown
from aws_rules.values.dialects import REQUIRED, dialect
from aws_rules.values.exceptions import SCHEMA_LOOSER
from aws_rules.values.patterns import pattern
from aws_rules.values.request import LATER, Misfit, Path, ValueVerdict, path_text, words
from aws_rules.values.schemas import document, types_of

RULE = Rule(
    name="resource-schema",
    authority="AWS",
    decides="whether a region has a type, and whether a resource fits its CloudFormation schema there",
    source="aws-cloudformation/cfn-lint: src/cfnlint/data/schemas",
)

RULES = (RULE,)


@dataclass(frozen=True, kw_only=True)
class Resource:
    """A resource in CloudFormation's words.

    name: as an engineer names it. service: of botocore. type: of CloudFormation.
    properties: of the type; `LATER` for what is not known yet.
    settable: names of the properties that can be set here; others are not missing.
    """

    name: str
    service: str
    type: str
    region: str
    properties: Mapping[str, Any]
    settable: frozenset[str]


def verdicts(resource: Resource) -> Iterator[ValueVerdict]:
    """What AWS would refuse in a resource."""
    types = types_of(resource.region)
    if types is None:
        yield Unknown(rule=RULE, resource=resource.name, lacks=f"region {resource.region}")
        return
    if resource.type not in types:
        yield Misfit(
            rule=RULE,
            resource=resource.name,
            code="InvalidAction",
            message=f"{resource.type} is not available in {resource.region}",
            remedy="choose a region that has it, or leave it out",
        )
        return
    speech = dialect(resource.service)
    for path, keyword, value, constraint in _faults(resource):
        if (resource.type, _place(path), keyword) in SCHEMA_LOOSER:
            continue
        code, message = speech.refuse(path, value, constraint)
        yield Misfit(
            rule=RULE,
            resource=resource.name,
            path=path,
            code=code,
            message=message,
            remedy=f"correct {path_text(path)}",
        )


def _place(path: Path) -> str:
    """A path without the numbers in it: `Rules.Transitions.StorageClass`."""
    return ".".join(step for step in path if isinstance(step, str))


def _faults(resource: Resource) -> Iterator[tuple[Path, str, Any, str]]:
    """Path, keyword, value and constraint of each value that breaks one."""
    for name in document(resource.type, resource.region).get("required", ()):
        if name in resource.settable and name not in resource.properties:
            yield (name,), "required", None, REQUIRED
    for error in _validator(resource.type, resource.region).iter_errors(resource.properties):
        alternatives = error.validator in ("requiredXor", "requiredOr") and not error.absolute_path
        if alternatives and not resource.settable & set(error.validator_value):
            continue
        yield tuple(error.absolute_path), error.validator, error.instance, _constraint(error)


def _constraint(error: Any) -> str:
    allowed = error.validator_value
    match error.validator:
        case "enum":
            return f"Member must satisfy enum value set: [{', '.join(map(str, allowed))}]"
        case "const":
            return f"Member must be {allowed}"
        case "pattern":
            return f"Member must satisfy regular expression pattern: {allowed}"
        case "minimum" | "minLength" | "minItems" | "maximum" | "maxLength" | "maxItems":
            quantity = "value" if error.validator in ("minimum", "maximum") else "length"
            bound = "greater" if error.validator.startswith("min") else "less"
            return f"Member must have {quantity} {bound} than or equal to {allowed}"
        case _:
            return str(error.message)


# --- the validator: jsonschema's, with AWS's keywords, silent about what is not known yet ---

_CHECKED = words(
    "$ref const dependentRequired enum items maxItems maxLength maximum minItems minLength minimum properties"
)
"""Keywords that are checked as jsonschema does.

Types and names of members, and which of them must be there, are checked by the request that they become.
"""


@cache
def _validator(type: str, region: str) -> Any:
    # Loaded here: a preview without changes has no use for it.
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError
    from jsonschema.validators import create

    def patient(check: Any) -> Any:
        def checked(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
            return () if instance is LATER else check(validator, value, instance, schema)

        return checked

    def matching(validator: Any, text: str, instance: Any, schema: Any) -> Iterator[Any]:
        compiled = pattern(text) if isinstance(instance, str) else None
        if compiled is not None and not compiled.search(instance):
            yield ValidationError(text)

    def mapped(validator: Any, patterns: Mapping[str, Any], instance: Any, schema: Any) -> Iterator[Any]:
        for text, inner in patterns.items() if isinstance(instance, Mapping) else ():
            compiled = pattern(text)
            for name, item in instance.items():
                if compiled is not None and compiled.search(name):
                    yield from validator.descend(item, inner, path=name)

    def unique(validator: Any, value: bool, instance: Any, schema: Any) -> Iterator[Any]:
        if value and isinstance(instance, list):
            texts = [repr(item) for item in instance if item is not LATER]
            if len(set(texts)) < len(texts):
                yield ValidationError("Member must have unique values")

    def excluded(validator: Any, value: Mapping[str, Any], instance: Any, schema: Any) -> Iterator[Any]:
        if isinstance(instance, Mapping):
            for name, rivals in value.items():
                for rival in rivals if name in instance else ():
                    if rival in instance:
                        yield ValidationError(f"{name} cannot be specified with {rival}")

    def alternatives(at_most: int | None) -> Any:
        def check(validator: Any, names: Sequence[str], instance: Any, schema: Any) -> Iterator[Any]:
            if isinstance(instance, Mapping):
                present = [name for name in names if name in instance]
                if not present or len(present) > (at_most or len(names)):
                    yield ValidationError(f"Specify one of {', '.join(names)}")

        return check

    own = {
        "pattern": matching,
        "patternProperties": mapped,
        "uniqueItems": unique,
        "dependentExcluded": excluded,
        "requiredXor": alternatives(at_most=1),
        "requiredOr": alternatives(at_most=None),
    }
    library = {name: Draft202012Validator.VALIDATORS[name] for name in _CHECKED}
    checks = {name: patient(check) for name, check in {**library, **own}.items()}
    return create(Draft202012Validator.META_SCHEMA, checks)(document(type, region))
