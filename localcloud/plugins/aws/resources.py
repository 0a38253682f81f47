"""Operations on a resource of any type that has a row in the tables."""

import json
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from localcloud.errors import Refusal
from localcloud.plugins.aws import mapping
from localcloud.plugins.aws.api import Api, not_found
from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import Call, Change, Kind, Name, P, Read, Tagging
from localcloud.plugins.differences import PropertyPath, differences
from localcloud.plugins.provider import Failure, Naming
from localcloud.plugins.values import UNKNOWN, Properties, reveal, unknown_in

DEFAULTS = "__defaults"
"""Input with the names of inputs that the real provider, and so this one, has filled in."""


# --- inputs ---


def check(
    kind: Kind, type: str, logical: str, region: str, old: Properties, new: Properties, naming: Naming
) -> tuple[Properties, list[Failure]]:
    """Inputs with names and defaults filled in, and what is wrong with them."""
    failures = list(_failures(kind, type, new))
    fillings: dict[str, Any] = {}
    if kind.regional and "region" not in new:
        fillings["region"] = region
    fillings |= {name: value for name, value in kind.defaults.items() if name not in new}
    if kind.name and kind.name.property not in new:
        if naming.disabled:
            failures.append(
                Failure(kind.name.property, f"{type} {logical} needs a name: autonaming is disabled.")
            )
        else:
            fillings[kind.name.property] = _name(kind.name, logical, old, new, naming)
    inputs = new | fillings
    return (inputs | {DEFAULTS: sorted(fillings)} if fillings else inputs), failures


def _failures(kind: Kind, type: str, new: Properties) -> Iterator[Failure]:
    for name in sorted(kind.required):
        if new.get(name) is None:
            yield Failure(name, f"{type} requires {name}.")
    for name in new:
        if name in kind.input_names or name.startswith("__"):
            continue
        if name in kind.fixed:
            value = kind.fixed[name]
            if not mapping.loosely_equal(reveal(new[name]), value):
                yield Failure(
                    name,
                    f"{name} of {type} is simulated by the laptop cloud only as {json.dumps(value)}, which "
                    "it is without being set: leave it out.",
                )
            continue
        matches = get_close_matches(name, kind.input_names, 1)
        remedy = "leave it out, or add it to localcloud/plugins/aws/tables."
        hint = f"did you mean {matches[0]}?" if matches else remedy
        yield Failure(name, f"{name} of {type} is not simulated by the laptop cloud: {hint}")


def _name(name: Name, logical: str, old: Properties, new: Properties, naming: Naming) -> Any:
    if name.property in old and name.property in old.get(DEFAULTS, ()):
        return old[name.property]
    prefix = reveal(new.get(name.prefix)) if name.prefix else None
    if prefix is UNKNOWN:
        return UNKNOWN
    if prefix is None and not name.unique:
        return name.start + logical
    start, separator = (name.start + logical, "-") if prefix is None else (prefix, "")
    text = naming.name(start, separator=separator, max_length=name.max_length)
    return text.lower() if name.lower else text


# --- differences ---


def changes(kind: Kind, old: Properties, new: Properties) -> Mapping[PropertyPath, Any]:
    """Where inputs differ in meaning to AWS."""

    def same(path: PropertyPath, old: Any, new: Any) -> bool:
        dotted_path = ".".join(step for step in path if isinstance(step, str))
        if unknown_in(new):
            # A document that is not known yet may be the same, and may not.
            return False
        if dotted_path in kind.fixed:
            return True
        if new is None:
            return _within(dotted_path, kind.computed) or old in ([], {}, "")
        if old is None:
            return new in ([], {})
        if dotted_path in kind.documents:
            return mapping.same_document(old, new)
        if dotted_path in kind.unordered and isinstance(old, list) and isinstance(new, list):
            return sorted(map(repr, old)) == sorted(map(repr, new))
        return mapping.loosely_equal(old, new)

    return differences(_visible(old), _visible(new), same)


def _visible(inputs: Properties) -> Properties:
    return {name: value for name, value in inputs.items() if name != DEFAULTS}


def _within(dotted_path: str, names: frozenset[str]) -> bool:
    return any(dotted_path == name or dotted_path.startswith(f"{name}.") for name in names)


def deletes_before_replacing(kind: Kind, old: Properties, new: Properties) -> bool:
    """Whether old and new cannot exist together: there can be only one, or the program gives its name."""
    if kind.exclusive:
        return True
    if kind.name is None:
        return False
    name = kind.name.property
    return name not in old.get(DEFAULTS, ()) and reveal(old.get(name)) == reveal(new.get(name))


# --- resources ---


def create(subject: Subject, tags: Mapping[str, str]) -> None:
    """Make it. Once it exists `subject.id` is set, whatever fails afterwards."""
    kind = subject.kind
    for step in kind.refusals:
        subject.do(step)
    subject.id = _id(subject, _call_create(subject, tags))
    for change in kind.changes:
        if any(name in subject.inputs and name not in subject.sent for name in change.properties):
            subject.do(change.step)
    if kind.tags and kind.tags.create is None and tags:
        _put_tags(subject, tags)
    for step in kind.final_steps:
        subject.do(step)


def _call_create(subject: Subject, tags: Mapping[str, str]) -> Any:
    kind = subject.kind
    if not isinstance(kind.create, Call):
        return kind.create(subject)
    return subject.call(kind.create, kind.tags.at_create(tags) if kind.tags else {})


def _id(subject: Subject, answer: Any) -> str:
    kind = subject.kind
    if not kind.id:
        return str(answer)
    if "{" in kind.id:
        return str(subject.text(kind.id))
    if not isinstance(kind.create, Call):
        raise TypeError(f"{subject.type}: a function makes it, and must return its id")
    shape = subject.api.shapes(kind.service, kind.create.operation).output_shape
    return str(mapping.at(answer, shape, kind.id)[0])


def identify(subject: Subject) -> None:
    """Set the properties that an id to import is made of."""
    kind = subject.kind
    if kind.identity and not all(subject.properties.get(name) for name in kind.identity):
        parts = subject.id.split(kind.separator, len(kind.identity) - 1)
        if len(parts) != len(kind.identity):
            raise Refusal(
                f"The id of {subject.type} is {kind.separator.join(f'<{name}>' for name in kind.identity)}, "
                f"not {subject.id}."
            )
        subject.properties |= dict(zip(kind.identity, parts, strict=True))


def read(subject: Subject) -> Properties | None:
    """The live resource, under Pulumi's names; None when it is gone."""
    kind = subject.kind
    live: Properties = {}
    for index, step in enumerate(kind.reads):
        try:
            part = _read_part(subject, step)
        except Exception as error:
            if not not_found(error):
                raise
            part = None
        if part is None and index == 0:
            return None
        live |= part or {}
        subject.properties |= part or {}
    if kind.tags:
        live["tagsAll"] = _tags(subject, live)
    for name in kind.aws_lists & live.keys():
        value = live[name]
        if isinstance(value, list):
            live[name] = value[0] if value else None
    for name in kind.pulumi_lists & live.keys():
        live[name] = [live[name]] if isinstance(live[name], dict) else live[name]
    for name in kind.identity:
        live.setdefault(name, subject.properties.get(name))
    subject.properties |= live
    for name, template in kind.derived.items():
        text = subject.text(template)
        if text is not None:
            live[name] = text
            subject.properties[name] = text
    return {name: value for name, value in live.items() if value is not None and name in kind.output_names}


def _read_part(subject: Subject, step: Read) -> Properties | None:
    kind = subject.kind
    answer = subject.do(step.call)
    if not isinstance(step.call, Call):
        return dict(answer) if answer is not None else None
    shape = subject.api.shapes(kind.service, step.call.operation).output_shape
    members, shape = mapping.at(answer, shape, step.at)
    if members is None:
        return None
    part = subject.extract(step.call.operation, answer, step.at) if step.all else {}
    back = {member: name for name, member in kind.names.items()}
    for name, path in step.properties.items():
        value, inner = mapping.at(members, shape, path)
        part[name] = mapping.from_api(value, inner, back, name) if value is not None else None
    return part


def _tags(subject: Subject, live: Mapping[str, Any]) -> dict[str, str]:
    tagging = subject.kind.tags
    assert tagging is not None
    tags: Any
    if tagging.read_call is None:
        tags = live.get("tagsAll") or {}
    else:
        try:
            tags = tagging.read(subject.call(tagging.read_call).get(tagging.at) or [])
        except Exception as error:
            if not not_found(error):
                raise
            tags = {}
    return {key: value for key, value in tags.items() if not key.startswith("aws:")}


def _put_tags(subject: Subject, tags: Mapping[str, str]) -> None:
    assert subject.kind.tags is not None
    _with_raw(subject, subject.kind.tags.put, "tags", subject.kind.tags.write(tags))


def _with_raw(subject: Subject, call: Call, name: str, value: Any) -> None:
    raw = {member: value for member, at in call.members.items() if at == P(f"={name}")}
    rest = {member: at for member, at in call.members.items() if member not in raw}
    subject.call(Call(call.operation, rest, call.other_inputs), raw)


def update(
    subject: Subject, paths: Mapping[PropertyPath, Any], old_tags: Mapping[str, str], tags: Mapping[str, str]
) -> None:
    """Change the properties that differ."""
    changed_names = {str(path[0]) for path in paths}
    changeable = {name for change in subject.kind.changes for name in change.properties}
    for name in sorted(changed_names - changeable - subject.kind.arguments - {"tags", "tagsAll"}):
        raise Refusal(
            f"{subject.type}: moto, which simulates AWS here, cannot change {name}: replace the resource."
        )
    for step in subject.kind.refusals:
        subject.do(step)
    for change in subject.kind.changes:
        if changed_names & set(change.properties):
            subject.do(_step(subject, change))
    if subject.kind.tags and dict(old_tags) != dict(tags):
        _retag(subject, subject.kind.tags, old_tags, tags)
    for step in subject.kind.final_steps:
        subject.do(step)


def _retag(subject: Subject, tagging: Tagging, old_tags: Mapping[str, str], tags: Mapping[str, str]) -> None:
    removals = sorted(old_tags.keys() - tags.keys())
    put = {key: value for key, value in tags.items() if old_tags.get(key) != value}
    if tagging.replaces_all:
        put, removals = dict(tags), [] if tags else removals
    if removals:
        keys = [{"Key": key} for key in removals] if tagging.resource or tagging.keys_as_tags else removals
        _with_raw(subject, tagging.remove, "keys", keys)
    if put:
        _put_tags(subject, put)


def _step(subject: Subject, change: Change) -> Any:
    present = any(subject.inputs.get(name) is not None for name in change.properties)
    return change.step if present else change.removal or change.step


def delete(subject: Subject) -> None:
    """Delete it; fine when it is gone."""
    for step in subject.kind.delete:
        try:
            subject.do(step)
        except Exception as error:
            if not not_found(error):
                raise


# --- outputs, refreshed inputs ---


def outputs(kind: Kind, inputs: Mapping[str, Any], live: Mapping[str, Any]) -> Properties:
    """Outputs: the live resource, as the program has written it where it means the same."""
    own = {name: value for name, value in inputs.items() if name != DEFAULTS and name in kind.output_names}
    outputs = {**own, **{name: value for name, value in live.items() if name in kind.output_names}}
    for name, value in own.items():
        if name in live:
            outputs[name] = _as_written(value, live[name], name, kind)
    return outputs


def actual_inputs(
    kind: Kind,
    inputs: Properties,
    state: Properties,
    live: Mapping[str, Any],
    default_tags: Mapping[str, str],
) -> Properties:
    """Inputs as AWS has them now: those of the program, and those that were set by hand since."""
    if not inputs:
        return _inputs_of_import(kind, live, default_tags)
    actual: Properties = {}
    for name, value in inputs.items():
        if name == "tags" and kind.tags:
            continue
        if name == DEFAULTS or name not in live:
            if name in kind.arguments | kind.write_only | kind.fixed.keys() | {DEFAULTS, "region"}:
                actual[name] = value
            continue
        actual[name] = _actual(value, live[name], state.get(name), name, kind)
    for name in (kind.input_names & live.keys()) - inputs.keys() - kind.computed - {"tags", "region"}:
        if state.get(name) != live[name] and live[name] not in (None, [], {}, ""):
            actual[name] = live[name]
    if kind.tags:
        tags = _own_tags(live.get("tagsAll", {}), inputs.get("tags") or {}, default_tags)
        if tags or "tags" in inputs:
            actual["tags"] = tags
    return actual


def _inputs_of_import(kind: Kind, live: Mapping[str, Any], default_tags: Mapping[str, str]) -> Properties:
    inputs = {name: live[name] for name in kind.input_names & live.keys() if live[name] not in ([], {}, "")}
    inputs |= {name: value for name, value in kind.defaults.items() if name not in inputs}
    if kind.tags:
        inputs.pop("tags", None)
        if tags := _own_tags(live.get("tagsAll", {}), {}, default_tags):
            inputs["tags"] = tags
    fillings = sorted(name for name in kind.defaults if inputs.get(name) == kind.defaults[name])
    return inputs | ({DEFAULTS: fillings} if fillings else {})


def _own_tags(
    live: Mapping[str, str], tags: Mapping[str, str], default_tags: Mapping[str, str]
) -> dict[str, str]:
    return {key: value for key, value in live.items() if key in tags or default_tags.get(key) != value}


def _actual(value: Any, live: Any, record: Any, path: str, kind: Kind) -> Any:
    """The live value, without members that the program leaves to AWS and that have not changed since."""
    if isinstance(value, dict) and isinstance(live, dict):
        record = record if isinstance(record, dict) else {}
        actual = {}
        for name, item in live.items():
            if name in value:
                actual[name] = _actual(value[name], item, record.get(name), f"{path}.{name}", kind)
            elif not _within(f"{path}.{name}", kind.computed) and _is_changed(name, item, record):
                actual[name] = item
        for name in value.keys() - live.keys():
            if f"{path}.{name}" in kind.write_only:
                actual[name] = value[name]
        return actual
    if isinstance(value, list) and isinstance(live, list) and len(value) == len(live):
        if path in kind.unordered and sorted(map(repr, value)) == sorted(map(repr, live)):
            return value
        old = record if isinstance(record, list) and len(record) == len(live) else [None] * len(live)
        return [_actual(*items, path, kind) for items in zip(value, live, old, strict=True)]
    return _as_written(value, live, path, kind)


def _is_changed(name: str, value: Any, record: Mapping[str, Any]) -> bool:
    """Whether a member that the program does not set has changed, or been added, since it was recorded."""
    if name in record:
        return bool(record[name] != value)
    return bool(record) and value not in (None, [], {}, "")


def _as_written(value: Any, live: Any, path: str, kind: Kind) -> Any:
    """The program's value where the live one means the same, else the live one."""
    if path in kind.documents and mapping.same_document(value, live):
        return value
    if mapping.loosely_equal(value, live):
        return value
    if isinstance(value, dict) and isinstance(live, dict):
        return {
            name: _as_written(value[name], item, f"{path}.{name}", kind) if name in value else item
            for name, item in live.items()
        } | {name: value[name] for name in value.keys() - live.keys()}
    if isinstance(value, list) and isinstance(live, list):
        if path in kind.unordered and sorted(map(repr, value)) == sorted(map(repr, live)):
            return value
        if len(value) == len(live):
            return [_as_written(*items, path, kind) for items in zip(value, live, strict=True)]
    return live


def plan(kind: Kind, inputs: Mapping[str, Any], state: Mapping[str, Any] | None, tags_all: Any) -> Properties:
    """Outputs as far as a preview can know them."""
    outputs: Properties = dict.fromkeys(kind.output_names - kind.input_names, UNKNOWN)
    if state is None:
        outputs |= dict.fromkeys(kind.computed & kind.output_names, UNKNOWN)
    else:
        outputs |= {name: value for name, value in state.items() if name not in kind.volatile}
        for name in kind.input_names - inputs.keys() - kind.computed:
            outputs.pop(name, None)
    outputs |= {name: value for name, value in inputs.items() if name != DEFAULTS}
    if kind.tags:
        outputs["tagsAll"] = tags_all
    return outputs


def subject_of(
    api: Api,
    type: str,
    kind: Kind,
    id: str,
    inputs: Properties,
    state: Properties,
    old: Properties | None = None,
) -> Subject:
    """The resource, with all known properties, revealed."""
    plain, plain_old = reveal(inputs), reveal(old or {})
    properties = {**reveal(state), **{name: value for name, value in plain.items() if name != DEFAULTS}}
    for name in plain_old.keys() - plain.keys():
        # An input that the program has removed does not count from the old state.
        properties.pop(name, None)
    return Subject(api, type, kind, id, properties, plain, plain_old)
