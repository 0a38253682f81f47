"""What a call of AWS's API asks of IAM: actions, the resources that they are on, and condition keys.

All of it follows from the call's members, the service's model in the Service Authorization Reference
(`definitions`) and the tables of `question_data`. Where no resource can be told from the members, the
question has none, and is decided by whether the caller may do the action on anything.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from aws_rules.iam import definitions
from aws_rules.iam.question_data import (
    ACTIONS,
    BESIDES,
    EC2_KINDS,
    FREE,
    NEW,
    PATHS,
    REQUEST_KEYS,
    TAG_ACTIONS,
    VARIABLES,
    Besides,
)
from aws_rules.rule import Rule

CALLERS = Rule(
    name="caller-permissions",
    authority="AWS",
    decides="whether who calls with the credentials of a role may: the role's policies and its boundary, "
    "policies of buckets and keys",
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html",
)
RULES = (CALLERS,)

Members = Mapping[str, Any]

EC2_ID = re.compile(r"([a-z]+(?:-[a-z]+)*)-[0-9a-f]{8,17}")
VARIABLE = re.compile(r"\$\{([^}]*)\}")


@dataclass(frozen=True, kw_only=True)
class Call:
    """A call of AWS's API.

    service: as requests are signed for it, which is IAM's prefix. operation: as its model names it.
    members: of the request, as the model names them.
    region, account, partition: where it is made.
    """

    service: str
    operation: str
    members: Members
    region: str
    account: str
    partition: str = "aws"


@dataclass(frozen=True, kw_only=True)
class Question:
    """One thing that IAM decides for a call.

    resources: ARNs, `*` for what is not known of one; none where the members do not tell.
    context: condition keys of the request -> value, or values.
    """

    action: str
    resources: tuple[str, ...]
    context: Mapping[str, str | Sequence[str]] = field(default_factory=dict)


def questions(call: Call) -> Iterator[Question]:
    """What IAM decides for a call; nothing where everybody may make it."""
    name = f"{call.service}:{call.operation}"
    for action in ACTIONS.get(name, name).split():
        if action not in FREE:
            yield Question(action=action, resources=_resources(call, action), context=_context(call))
    yield from _tagging(call)
    for besides in BESIDES.get(name, ()):
        yield from _besides(call, besides)


def tags_of(members: Members) -> dict[str, str]:
    """Tags that a request gives to what it is about."""
    parts = [members.get(name) for name in ("Tags", "tags", "TagSpecifications", "Tagging")]
    return {key: value for part in parts for key, value in _tags(part)}


def _tags(part: Any) -> Iterator[tuple[str, str]]:
    match part:
        case {"TagSet": tags} | {"Tags": tags}:
            yield from _tags(tags)
        case {"Key": key, **rest} | {"TagKey": key, **rest}:
            yield str(key), str(rest.get("Value", rest.get("TagValue", "")))
        case Mapping():
            yield from ((str(key), str(value)) for key, value in part.items() if isinstance(value, str))
        case list():
            yield from chain.from_iterable(map(_tags, part))


def _context(call: Call) -> dict[str, str | Sequence[str]]:
    tags = tags_of(call.members)
    keys = [*tags, *call.members.get("TagKeys", ()), *call.members.get("tagKeys", ())]
    context: dict[str, str | Sequence[str]] = {"aws:RequestedRegion": call.region}
    context |= {f"aws:RequestTag/{key}": value for key, value in tags.items()}
    if keys:
        context["aws:TagKeys"] = keys
    for member, key in REQUEST_KEYS.items():
        if isinstance(value := call.members.get(member), str) and key.startswith(f"{call.service}:"):
            context[key] = value
    return context


def _tagging(call: Call) -> Iterator[Question]:
    """The right to tag, which a call that makes something with tags takes besides."""
    name = f"{call.service}:{call.operation}"
    if call.service == "ec2":
        for specification in call.members.get("TagSpecifications") or ():
            arn = _arn(call, "ec2", f"{specification['ResourceType']}/*")
            context = _context(call) | {"ec2:CreateAction": call.operation}
            yield Question(action="ec2:CreateTags", resources=(arn,), context=context)
    elif name in NEW and tags_of(call.members):
        kind = NEW[name]
        resources = (_arn_of_kind(call, kind),) if kind else ()
        yield Question(action=TAG_ACTIONS[call.service], resources=resources, context=_context(call))


def _besides(call: Call, besides: Besides) -> Iterator[Question]:
    for value in _at(call.members, besides.at.split(".") if besides.at else []):
        if value in (None, False):
            continue
        resources = (value,) if isinstance(value, str) and value.startswith("arn:") else ()
        context = {"aws:RequestedRegion": call.region, **besides.context}
        for action in besides.actions.split():
            yield Question(action=action, resources=resources or _resources(call, action), context=context)


def _at(value: Any, path: Sequence[str]) -> Iterator[Any]:
    """Values at a path; of a list, each."""
    if isinstance(value, list):
        yield from chain.from_iterable(_at(item, path) for item in value)
    elif not path:
        yield value
    elif isinstance(value, Mapping) and path[0] in value:
        yield from _at(value[path[0]], path[1:])


# --- resources ---


def _resources(call: Call, action: str) -> tuple[str, ...]:
    """ARNs of what an action is on; `*` where it takes no resource, none where nothing tells which."""
    prefix, _, name = action.partition(":")
    if not definitions.known_service(prefix) or name not in definitions.actions(prefix):
        return ()
    kinds = definitions.resource_kinds(action)
    if not kinds:
        return ("*",)
    patterns = definitions.resource_types(action)
    whole = [text for text in _texts(call.members) if definitions.fits(text, patterns)]
    if whole:
        return tuple(dict.fromkeys(text.removesuffix(":*") for text in whole))
    arns = _of_ids(call, kinds) if prefix == "ec2" else _of_names(call, action, kinds)
    return tuple(dict.fromkeys(arns))


def _texts(value: Any) -> Iterator[str]:
    """Texts directly in members, or in lists of them."""
    for item in value.values() if isinstance(value, Mapping) else value:
        if isinstance(item, str):
            yield item
        elif isinstance(item, list):
            yield from (text for text in item if isinstance(text, str))


def _of_ids(call: Call, kinds: Mapping[str, bool]) -> Iterator[str]:
    """EC2's ids tell what they are; what an action makes has none yet."""
    id_kinds: set[str] = set()
    for text in _texts(call.members):
        match = EC2_ID.fullmatch(text)
        kind = EC2_KINDS.get(match[1]) if match else None
        if kind is not None and kind in kinds:
            id_kinds.add(kind)
            yield _arn(call, "ec2", f"{kind}/{text}")
    yield from (_arn(call, "ec2", f"{kind}/*") for kind in kinds if kinds[kind] and kind not in id_kinds)


def _of_names(call: Call, action: str, kinds: Mapping[str, bool]) -> Iterator[str]:
    """ARNs made of names in the request; of kinds that are not required, those that all is known of."""
    prefix = action.partition(":")[0]
    for kind, required in kinds.items():
        template = definitions.resource_template(prefix, kind)
        values = _values(call, prefix)
        names = set(VARIABLE.findall(template)) - {"Partition", "Region", "Account"}
        present = [name for name in names if values.get(name)]
        if present and (required or len(present) == len(names)):
            yield _arn_of_kind(call, f"{prefix}:{kind}")


def _arn_of_kind(call: Call, kind: str) -> str:
    """The ARN of a kind `<prefix>:<kind>`, with `*` for what the request does not tell."""
    prefix, _, name = kind.partition(":")
    values = _values(call, prefix)
    return VARIABLE.sub(
        lambda match: values.get(match[1]) or "*", definitions.resource_template(prefix, name)
    )


def _values(call: Call, prefix: str) -> dict[str, str]:
    """Variables of a service's ARNs -> values in a call."""
    values = {"Partition": call.partition, "Region": call.region, "Account": call.account}
    for variable, members in VARIABLES.get(prefix, {}).items():
        for member in members.split():
            text = call.members.get(member)
            if isinstance(text, str) and text:
                values[variable] = text.rpartition(":")[2] if text.startswith("arn:") else text
                break
    for variable, (member, expression) in PATHS.get(prefix, {}).items():
        if match := re.search(expression, str(call.members.get(member, ""))):
            values[variable] = match[1]
    return values


def _arn(call: Call, service: str, resource: str) -> str:
    return f"arn:{call.partition}:{service}:{call.region}:{call.account}:{resource}"
