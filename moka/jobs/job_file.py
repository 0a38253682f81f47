"""Reading a job file: its jobs, and every mistake in it at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from moka.documents import DocumentKind
from moka.jobs.job import Job
from moka.mistakes import InvalidDocument, Mistake

JOB_FILE = DocumentKind(model=Job, example="examples/jobs/pi.yaml", noun="the job")

PLACEHOLDERS: Mapping[str, Any] = {
    "name": "job",
    "namespace": "default",
    "queue": "a.b",
    "tier": 1,
    "main_file": "local:///main",
}
"""Values of required fields that a file lacks, so that the rest can be checked."""


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A job of a file, valid or not.

    where: file and job, for messages.
    job: None when nothing of it could be read.
    unsure: its fields with placeholders, as the file has mistakes there.
    mistakes: in the job itself, a sentence each.
    """

    where: str
    job: Job | None
    unsure: frozenset[str] = frozenset()
    mistakes: Sequence[Mistake | str] = ()


def read(content: bytes | str, where: str) -> list[Draft]:
    """The jobs in the YAML documents of a file; `where` names it in messages.

    Raises InvalidDocument when it has none.
    """
    documents = JOB_FILE.read_all(content, where)
    if not documents:
        raise InvalidDocument(f"{where} has no job: write one like {JOB_FILE.example}.")
    drafts = []
    keys: set[tuple[str, str]] = set()
    for number, document in enumerate(documents, start=1):
        fields = document if isinstance(document, dict) else {}
        name, namespace = str(fields.get("name")), str(fields.get("namespace"))
        draft = draft_of(document, f"{where}: {name if 'name' in fields else f'document {number}'}")
        if (namespace, name) in keys and "name" in fields:
            duplicate = Mistake(
                "name", f"another job in namespace {namespace} has it too; give each job its own"
            )
            draft = replace(draft, mistakes=[*draft.mistakes, duplicate])
        keys.add((namespace, name))
        drafts.append(draft)
    return drafts


def draft_of(document: Any, where: str) -> Draft:
    """A job as it was read from YAML or JSON; `where` names it in messages."""
    if not isinstance(document, dict):
        mistake = f"is {document!r}; write keys and values, as in {JOB_FILE.example}."
        return Draft(where=where, job=None, mistakes=[mistake])
    try:
        return Draft(where=where, job=JOB_FILE.validate(document, where))
    except ValidationError as error:
        invalid = error
    unsure = frozenset(str(place[0]) for _, place in JOB_FILE.places(invalid) if place)
    rest = {key: value for key, value in document.items() if str(key) not in unsure}
    missing = {key: value for key, value in PLACEHOLDERS.items() if key not in rest}
    return Draft(
        where=where,
        job=JOB_FILE.validate({**missing, **rest}, where),
        unsure=unsure,
        mistakes=list(JOB_FILE.mistakes(invalid)),
    )
