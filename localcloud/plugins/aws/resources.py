"""What can be done with a resource of any type that has a row in the tables."""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from localcloud.errors import Refusal
from localcloud.plugins.aws import mapping
from localcloud.plugins.aws.api import Api, code_of, gone
from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import Call, Change, Kind, Look, Name, P, Tagging
from localcloud.plugins.differences import PropertyPath, differences
from localcloud.plugins.provider import Failure, Naming
from localcloud.plugins.values import UNKNOWN, Properties, reveal, unknown_in

DEFAULTS = "__defaults"
"""Input in which the real provider, and so this one, keeps the names of inputs that it filled in."""


# --- inputs ---


def check(
    kind: Kind, type: str, logical: str, region: str, old: Properties, new: Properties, naming: Naming
) -> tuple[Properties, list[Failure]]:
    """Inputs with names and defaults filled in, and what is wrong with them."""
    failures = list(_wrong(kind, type, new))
    filled: dict[str, Any] = {}
    if kind.regional and "region" not in new:
        filled["region"] = region
    filled |= {name: value for name, value in kind.defaults.items() if name not in new}
    if kind.name and kind.name.property not in new:
        if naming.disabled:
            failures.append(
                Failure(kind.name.property, f"{type} {logical} needs a name: autonaming is disabled.")
            )
        else:
            filled[kind.name.property] = _name(kind.name, logical, old, new, naming)
    inputs = new | filled
    return (inputs | {DEFAULTS: sorted(filled)} if filled else inputs), failures


def _wrong(kind: Kind, type: str, new: Properties) -> Iterator[Failure]:
    for name in sorted(kind.required):
        if new.get(name) is None:
            yield Failure(name, f"{type} needs {name}.")
    for name in new:
        if name in kind.input_names or name.startswith("__"):
            continue
        near = get_close_matches(name, kind.input_names, 1)
        hint = (
            f"did you mean {near[0]}?"
            if near
            else "leave it out, or add it to localcloud/plugins/aws/tables."
        )
        yield Failure(name, f"{name} of {type} is not simulated by the laptop cloud: {hint}")


def _name(name: Name, logical: str, old: Properties, new: Properties, naming: Naming) -> Any:
    if name.property in old and name.property in old.get(DEFAULTS, ()):
        return old[name.property]
    prefix = reveal(new.get(name.prefix)) if name.prefix else None
    if prefix is UNKNOWN:
        return UNKNOWN
    start = prefix if prefix is not None else name.before + logical
    made = naming.name(start, separator="" if prefix is not None else "-", max_length=name.longest)
    return made.lower() if name.lower else made


# --- differences ---


def changes(kind: Kind, old: Properties, new: Properties) -> Mapping[PropertyPath, Any]:
    """Where inputs differ in what they mean to AWS."""

    def same(path: PropertyPath, before: Any, after: Any) -> bool:
        dotted = ".".join(step for step in path if isinstance(step, str))
        if unknown_in(after):
            # A document that is not known yet may be the same, and may not.
            return False
        if after is None:
            return _within(dotted, kind.chosen) or before in ([], {}, "")
        if before is None:
            return after in ([], {})
        if dotted in kind.documents:
            return mapping.same_document(before, after)
        if dotted in kind.unordered and isinstance(before, list) and isinstance(after, list):
            return sorted(map(repr, before)) == sorted(map(repr, after))
        return mapping.loosely_equal(before, after)

    return differences(_visible(old), _visible(new), same)


def _visible(inputs: Properties) -> Properties:
    return {name: value for name, value in inputs.items() if name != DEFAULTS}


def _within(dotted: str, names: frozenset[str]) -> bool:
    return any(dotted == name or dotted.startswith(f"{name}.") for name in names)


def deletes_before_replacing(kind: Kind, old: Properties, new: Properties) -> bool:
    """Whether old and new cannot stand side by side: one of a kind, or under a name that a person chose."""
    if kind.alone:
        return True
    if kind.name is None:
        return False
    name = kind.name.property
    return name not in old.get(DEFAULTS, ()) and reveal(old.get(name)) == reveal(new.get(name))


# --- resources ---


# How services say that a name is taken.
TAKEN = frozenset(
    {
        "AlreadyExistsException",
        "BucketAlreadyExists",
        "BucketAlreadyOwnedByYou",
        "EntityAlreadyExists",
        "RepositoryAlreadyExistsException",
        "ResourceAlreadyExistsException",
        "ResourceInUseException",
    }
)


def create(subject: Subject, tags: Mapping[str, str], again: bool = False) -> None:
    """Make it. Once it is there `subject.id` is set, whatever fails afterwards.

    again: an earlier create was cut off; what has its name is taken for what that made.
    """
    kind = subject.kind
    try:
        subject.id = _id(subject, _created(subject, tags))
    except Exception as error:
        there = _id_by_name(subject)
        if not again or code_of(error) not in TAKEN or there is None:
            raise
        subject.id = there
    for change in kind.changes:
        if any(name in subject.inputs and name not in subject.taken for name in change.properties):
            subject.do(change.step)
    if kind.tags and kind.tags.create is None and tags:
        _put_tags(subject, tags)
    for step in kind.after:
        subject.do(step)


def _created(subject: Subject, tags: Mapping[str, str]) -> Any:
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
        raise TypeError(f"{subject.type}: a function makes it, and must say its id")
    shape = subject.api.shapes(kind.service, kind.create.operation).output_shape
    return str(mapping.at(answer, shape, kind.id)[0])


def _id_by_name(subject: Subject) -> str | None:
    """The id of a resource that is known by its name; None where AWS makes ids up."""
    kind = subject.kind
    if "{" in kind.id:
        return subject.text(kind.id)
    return subject.properties.get(kind.name.property) if kind.name else None


def identify(subject: Subject) -> None:
    """Take the properties that an id to import is made of out of it."""
    kind = subject.kind
    if kind.identity and not all(subject.properties.get(name) for name in kind.identity):
        parts = subject.id.split(kind.split, len(kind.identity) - 1)
        if len(parts) != len(kind.identity):
            raise Refusal(
                f"The id of {subject.type} is {kind.split.join(f'<{name}>' for name in kind.identity)}, "
                f"not {subject.id}."
            )
        subject.properties |= dict(zip(kind.identity, parts, strict=True))


def look(subject: Subject) -> Properties | None:
    """What AWS shows of it, under Pulumi's names; None when it is gone."""
    kind = subject.kind
    seen: Properties = {}
    for index, each in enumerate(kind.looks):
        try:
            part = _part(subject, each)
        except Exception as error:
            if not gone(error):
                raise
            part = None
        if part is None and index == 0:
            return None
        seen |= part or {}
        subject.properties |= part or {}
    if kind.tags:
        seen["tagsAll"] = _tags(subject, seen)
    for name in kind.one & seen.keys():
        value = seen[name]
        if isinstance(value, list):
            seen[name] = value[0] if value else None
    for name in kind.many & seen.keys():
        seen[name] = [seen[name]] if isinstance(seen[name], dict) else seen[name]
    for name in kind.identity:
        seen.setdefault(name, subject.properties.get(name))
    subject.properties |= seen
    for name, template in kind.derived.items():
        text = subject.text(template)
        if text is not None:
            seen[name] = text
            subject.properties[name] = text
    return {name: value for name, value in seen.items() if value is not None and name in kind.output_names}


def _part(subject: Subject, each: Look) -> Properties | None:
    kind = subject.kind
    answer = subject.do(each.call)
    if not isinstance(each.call, Call):
        return dict(answer) if answer is not None else None
    shape = subject.api.shapes(kind.service, each.call.operation).output_shape
    found, shape = mapping.at(answer, shape, each.at)
    if found is None:
        return None
    part = subject.shown(each.call.operation, answer, each.at) if each.all else {}
    back = {member: name for name, member in kind.names.items()}
    for name, path in each.gives.items():
        value, inner = mapping.at(found, shape, path)
        part[name] = mapping.from_api(value, inner, back, name) if value is not None else None
    return part


def _tags(subject: Subject, seen: Mapping[str, Any]) -> dict[str, str]:
    tagging = subject.kind.tags
    assert tagging is not None
    shown: Any
    if tagging.look is None:
        shown = seen.get("tagsAll") or {}
    else:
        try:
            shown = tagging.read(subject.call(tagging.look).get(tagging.at) or [])
        except Exception as error:
            if not gone(error):
                raise
            shown = {}
    return {key: value for key, value in shown.items() if not key.startswith("aws:")}


def _put_tags(subject: Subject, tags: Mapping[str, str]) -> None:
    assert subject.kind.tags is not None
    _with_raw(subject, subject.kind.tags.put, "tags", subject.kind.tags.written(tags))


def _with_raw(subject: Subject, call: Call, name: str, value: Any) -> None:
    raw = {member: value for member, at in call.members.items() if at == P(f"={name}")}
    rest = {member: at for member, at in call.members.items() if member not in raw}
    subject.call(Call(call.operation, rest, call.rest), raw)


def update(
    subject: Subject, paths: Mapping[PropertyPath, Any], old_tags: Mapping[str, str], tags: Mapping[str, str]
) -> None:
    """Change what differs."""
    changed = {str(path[0]) for path in paths}
    known = {name for change in subject.kind.changes for name in change.properties}
    for name in sorted(changed - known - subject.kind.arguments - {"tags", "tagsAll"}):
        raise Refusal(
            f"{subject.type}: moto, which plays AWS here, cannot change {name}: replace the resource."
        )
    for change in subject.kind.changes:
        if changed & set(change.properties):
            subject.do(_which(subject, change))
    if subject.kind.tags and dict(old_tags) != dict(tags):
        _retag(subject, subject.kind.tags, old_tags, tags)
    for step in subject.kind.after:
        subject.do(step)


def _retag(subject: Subject, tagging: Tagging, old_tags: Mapping[str, str], tags: Mapping[str, str]) -> None:
    gone_keys = sorted(old_tags.keys() - tags.keys())
    put = {key: value for key, value in tags.items() if old_tags.get(key) != value}
    if tagging.whole:
        put, gone_keys = dict(tags), [] if tags else gone_keys
    if gone_keys:
        keys = [{"Key": key} for key in gone_keys] if tagging.resource else gone_keys
        _with_raw(subject, tagging.remove, "keys", keys)
    if put:
        _put_tags(subject, put)


def _which(subject: Subject, change: Change) -> Any:
    if change.without and not any(subject.inputs.get(name) is not None for name in change.properties):
        return change.without
    return change.step


def delete(subject: Subject) -> None:
    """Delete it; fine when it is gone."""
    for step in subject.kind.delete:
        try:
            subject.do(step)
        except Exception as error:
            if not gone(error):
                raise


# --- what comes back ---


def outputs(kind: Kind, inputs: Mapping[str, Any], seen: Mapping[str, Any]) -> Properties:
    """Outputs: what AWS shows, in the program's words where it means the same."""
    given = {name: value for name, value in inputs.items() if name != DEFAULTS and name in kind.output_names}
    made = {**given, **{name: value for name, value in seen.items() if name in kind.output_names}}
    for name, value in given.items():
        if name in seen:
            made[name] = _in_the_words_of(value, seen[name], name, kind)
    return made


def refreshed(
    kind: Kind,
    inputs: Properties,
    state: Properties,
    seen: Mapping[str, Any],
    default_tags: Mapping[str, str],
) -> Properties:
    """Inputs as AWS has them now: those given, and those that somebody else has set since."""
    if not inputs:
        return _imported(kind, seen, default_tags)
    found: Properties = {}
    for name, value in inputs.items():
        if name == "tags":
            continue
        if name == DEFAULTS or name not in seen:
            if name == DEFAULTS or name in kind.arguments or name in kind.unanswered or name == "region":
                found[name] = value
            continue
        found[name] = _restricted(value, seen[name], state.get(name), name, kind)
    for name in (kind.input_names & seen.keys()) - inputs.keys() - kind.chosen - {"tags", "region"}:
        if state.get(name) != seen[name] and seen[name] not in (None, [], {}, ""):
            found[name] = seen[name]
    if kind.tags:
        tags = _own_tags(seen.get("tagsAll", {}), inputs.get("tags") or {}, default_tags)
        if tags or "tags" in inputs:
            found["tags"] = tags
    return found


def _imported(kind: Kind, seen: Mapping[str, Any], default_tags: Mapping[str, str]) -> Properties:
    found = {name: seen[name] for name in kind.input_names & seen.keys() if seen[name] not in ([], {}, "")}
    found |= {name: value for name, value in kind.defaults.items() if name not in found}
    found.pop("tags", None)
    tags = _own_tags(seen.get("tagsAll", {}), {}, default_tags)
    if kind.tags and tags:
        found["tags"] = tags
    filled = sorted(name for name in kind.defaults if found.get(name) == kind.defaults[name])
    return found | ({DEFAULTS: filled} if filled else {})


def _own_tags(
    shown: Mapping[str, str], given: Mapping[str, str], default_tags: Mapping[str, str]
) -> dict[str, str]:
    return {key: value for key, value in shown.items() if key in given or default_tags.get(key) != value}


def _restricted(given: Any, seen: Any, recorded: Any, path: str, kind: Kind) -> Any:
    """What is seen, without what the program leaves to AWS and AWS has not changed since."""
    if isinstance(given, dict) and isinstance(seen, dict):
        recorded = recorded if isinstance(recorded, dict) else {}
        kept = {}
        for name, value in seen.items():
            if name in given:
                kept[name] = _restricted(given[name], value, recorded.get(name), f"{path}.{name}", kind)
            elif not _within(f"{path}.{name}", kind.chosen) and _came(name, value, recorded):
                kept[name] = value
        for name in given.keys() - seen.keys():
            if f"{path}.{name}" in kind.unanswered:
                kept[name] = given[name]
        return kept
    if isinstance(given, list) and isinstance(seen, list) and len(given) == len(seen):
        if path in kind.unordered and sorted(map(repr, given)) == sorted(map(repr, seen)):
            return given
        olds = recorded if isinstance(recorded, list) and len(recorded) == len(seen) else [None] * len(seen)
        return [_restricted(*each, path, kind) for each in zip(given, seen, olds, strict=True)]
    return _in_the_words_of(given, seen, path, kind)


def _came(name: str, value: Any, recorded: Mapping[str, Any]) -> bool:
    """Whether a member that the program does not give has changed, or come, since it was recorded."""
    if name in recorded:
        return bool(recorded[name] != value)
    return bool(recorded) and value not in (None, [], {}, "")


def _in_the_words_of(given: Any, seen: Any, path: str, kind: Kind) -> Any:
    if path in kind.documents and mapping.same_document(given, seen):
        return given
    if mapping.loosely_equal(given, seen):
        return given
    if isinstance(given, dict) and isinstance(seen, dict):
        return {
            name: _in_the_words_of(given[name], value, f"{path}.{name}", kind) if name in given else value
            for name, value in seen.items()
        } | {name: given[name] for name in given.keys() - seen.keys()}
    if isinstance(given, list) and isinstance(seen, list):
        if path in kind.unordered and sorted(map(repr, given)) == sorted(map(repr, seen)):
            return given
        if len(given) == len(seen):
            return [_in_the_words_of(*each, path, kind) for each in zip(given, seen, strict=True)]
    return seen


def planned(
    kind: Kind, inputs: Mapping[str, Any], state: Mapping[str, Any] | None, tags_all: Any
) -> Properties:
    """Outputs as far as a preview can know them."""
    made: Properties = dict.fromkeys(kind.output_names - kind.input_names, UNKNOWN)
    if state is None:
        made |= dict.fromkeys(kind.chosen & kind.output_names, UNKNOWN)
    else:
        made |= {name: value for name, value in state.items() if name not in kind.volatile}
        for name in kind.input_names - inputs.keys() - kind.chosen:
            made.pop(name, None)
    made |= {name: value for name, value in inputs.items() if name != DEFAULTS}
    if kind.tags:
        made["tagsAll"] = tags_all
    return made


def subject_of(
    api: Api,
    type: str,
    kind: Kind,
    id: str,
    inputs: Properties,
    state: Properties,
    old: Properties | None = None,
) -> Subject:
    """The resource, with all that is known of it, revealed."""
    plain, known, before = reveal(inputs), reveal(state), reveal(old or {})
    properties = {**known, **{name: value for name, value in plain.items() if name != DEFAULTS}}
    for name in before.keys() - plain.keys():
        # What the program says no longer is not known from its old state.
        properties.pop(name, None)
    return Subject(api, type, kind, id, properties, plain, before)
