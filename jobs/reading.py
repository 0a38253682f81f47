"""Reading a job file: its jobs, and every mistake in it at once."""

import difflib
import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import yaml
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from jobs.job import Job, Section
from jobs.refusal import JobRefused, Mistake, listed

INSTEAD = {
    "driver.template": "pod templates are the platform's",
    "executor.template": "pod templates are the platform's",
    "sparkConf": "Spark configuration is called conf",
    "spec": "write a job as examples/jobs/pi.yaml is, and not the SparkApplication that it becomes",
    "priority": "a job's priority is its tier",
    "priority_class": "a job's priority is its tier",
    "service_account": "it is its namespace's",
    "tolerations": "they follow from the architecture",
    "node_selector": "it follows from the architecture",
}
"""Keys that people try -> what there is."""


class _Loader(yaml.SafeLoader):
    """YAML, in which a key that is there twice is a mistake and not the loss of the first.

    Not PyYAML's loader in C, though it is faster: a file that is nested deeply ends the process there.
    """

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[Any] = set()
        for key, _ in node.value:
            if isinstance(key.value, str) and key.value in seen and key.value != "<<":
                raise yaml.constructor.ConstructorError(
                    None, None, f"{key.value} is there twice; take one of the two out", key.start_mark
                )
            seen.add(key.value if isinstance(key.value, str) else None)
        return super().construct_mapping(node, deep)


TOO_DEEP = "is nested too deeply; write it as examples/jobs/pi.yaml is."

STAND_INS: Mapping[str, Any] = {
    "name": "job",
    "namespace": "default",
    "queue": "a.b",
    "tier": 1,
    "main_file": "local:///main",
}
"""What has to be there, for the checks of all else when it is not."""


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A job of a file, right or wrong.

    where: file and job, for messages.
    job: None when nothing of it could be read.
    unsure: its fields that are not what the file says, as that is wrong.
    wrong: what is wrong with it as such.
    """

    where: str
    job: Job | None
    unsure: frozenset[str] = frozenset()
    wrong: Sequence[str] = ()


def read(content: bytes | str, where: str) -> list[Draft]:
    """The jobs in the YAML documents of a file; `where` names it in messages.

    Raises JobRefused when it has none.
    """
    drafts = []
    seen: set[tuple[str, str]] = set()
    for number, document in enumerate(_documents(content, where), start=1):
        said = document if isinstance(document, dict) else {}
        name, namespace = str(said.get("name")), str(said.get("namespace"))
        draft = _draft(document, f"{where}: {name if 'name' in said else f'document {number}'}")
        if (namespace, name) in seen and "name" in said:
            twice = f"name: is another job's of namespace {namespace} too; give each its own."
            draft = replace(draft, wrong=[*draft.wrong, twice])
        seen.add((namespace, name))
        drafts.append(draft)
    return drafts


def _documents(content: bytes | str, where: str) -> list[Any]:
    try:
        text = content if isinstance(content, str) else content.decode()
        found = [document for document in yaml.load_all(text, _Loader) if document is not None]
    except UnicodeDecodeError as error:
        raise JobRefused(
            f"{where} is not text: byte {error.start + 1} is no UTF-8; write it as YAML."
        ) from None
    except yaml.YAMLError as error:
        raise JobRefused(f"{where} is not YAML: {' '.join(str(error).split())}.") from None
    except RecursionError:
        raise JobRefused(f"{where} is nested too deeply: write it as examples/jobs/pi.yaml is.") from None
    if not found:
        raise JobRefused(f"{where} has no job: write one as examples/jobs/pi.yaml is.")
    return found


def _draft(document: Any, where: str) -> Draft:
    if not isinstance(document, dict):
        wrong = f"is {document!r}; write keys and values, as in examples/jobs/pi.yaml."
        return Draft(where=where, job=None, wrong=[wrong])
    try:
        return Draft(where=where, job=_validated(document))
    except ValidationError as error:
        errors = error.errors(include_url=False)
    except ValueError:
        return Draft(where=where, job=None, wrong=["holds itself; take the YAML alias out that does it."])
    except RecursionError:
        return Draft(where=where, job=None, wrong=[TOO_DEEP])
    if errors[0]["type"] == "json_invalid":
        # JSON that Python wrote and pydantic does not read: about 200 levels.
        return Draft(where=where, job=None, wrong=[TOO_DEEP])
    unsure = frozenset(str(each["loc"][0]) for each in errors if each["loc"])
    rest = {key: value for key, value in document.items() if str(key) not in unsure}
    return Draft(
        where=where,
        job=_validated({**{key: STAND_INS[key] for key in STAND_INS if key not in rest}, **rest}),
        unsure=unsure,
        wrong=list(dict.fromkeys(str(_mistake(each)) for each in errors)),
    )


def _validated(document: Mapping[Any, Any]) -> Job:
    """The job, taken strictly: 2 is no text, and "2" no number. Dates and the like are text."""
    return Job.model_validate_json(json.dumps(document, default=str), strict=True)


def _mistake(error: ErrorDetails) -> Mistake:
    """One mistake that pydantic found, in our words."""
    # Which of the types that a value may have was tried says nothing to its owner, nor that it was the key.
    kinds = ("str", "int", "float", "bool", "[key]")
    place = tuple(part for part in error["loc"] if part not in kinds)
    at = ".".join(str(part) for part in place)
    match error["type"]:
        case "extra_forbidden":
            instead = INSTEAD.get(at) or INSTEAD.get(str(place[-1]))
            says = f"unknown key; {instead or _near(place)}"
        case "missing":
            says = f"is missing; {_wanted(place) or 'it has to be there'}"
        case "value_error":
            message = error["msg"].removeprefix("Value error, ")
            says = f"is {error['input']!r}; {message}" if isinstance(error["input"], str) else message
        case _:
            message = error["msg"][0].lower() + error["msg"][1:]
            wanted = _wanted(place)
            subject = "the key" if error["loc"][-1] == "[key]" else "is"
            says = f"{subject} {error['input']!r}; {message}" + (f" ({wanted})" if wanted else "")
    return Mistake(at or "the job", says)


def _near(place: tuple[int | str, ...]) -> str:
    known = list(_section_at(place[:-1]).model_fields)
    close = difflib.get_close_matches(str(place[-1]), known, n=1)
    return f"did you mean {close[0]}?" if close else f"known here: {listed(known)}"


def _wanted(place: tuple[int | str, ...]) -> str:
    """What the field at a place is described as; empty where it is not."""
    field = _section_at(place[:-1]).model_fields.get(str(place[-1])) if place else None
    return ((field.description if field else None) or "").rstrip(".")


def _section_at(place: tuple[int | str, ...]) -> type[Section]:
    section: Any = Job
    for part in place:
        if _is_section(section) and part in section.model_fields:
            section = section.model_fields[str(part)].annotation
        else:
            section = get_args(section)[-1] if get_args(section) else section
        section = next((each for each in get_args(section) if _is_section(each)), section)
    return section if _is_section(section) else Section


def _is_section(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, Section)
