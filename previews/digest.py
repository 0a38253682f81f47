"""The document of `pulumi preview --json`. It has no results of policies, and not those of a refresh."""

from collections.abc import Mapping
from typing import Any

from previews import refusals
from previews.model import Preview
from previews.steps import stack_and_project, together
from previews.wire import Diagnostic, Digest, checked

FAILED = "preview failed"
"""The engine's words where its policies refuse, and where all else is said elsewhere."""


def from_digest(document: Mapping[str, Any], source: str) -> Preview:
    """The preview of a digest. Raises UnreadablePreview."""
    if "changeSummary" not in document and "steps" not in document:
        raise refusals.no_preview(source, "it has neither `steps` nor `changeSummary`")
    digest = checked(Digest, document, source)
    diagnostics = digest.diagnostics or []
    errors = messages(diagnostics, "error")
    if errors and {plain(error) for error in errors} == {FAILED}:
        raise refusals.failed_silently(source)
    if errors:
        raise refusals.failed(source, errors)
    if digest.change_summary is None:
        raise refusals.no_summary(source, errors)
    if digest.maybe_corrupt:
        raise refusals.corrupt(source)
    steps = digest.steps or []
    stack, project = stack_and_project(steps, source)
    return Preview(
        stack=stack,
        project=project,
        steps=together(steps, digest.change_summary, source),
        warnings=tuple(messages(diagnostics, "warning")),
    )


def messages(diagnostics: list[Diagnostic], severity: str) -> list[str]:
    """What is said with a severity, but for what is only said while it runs."""
    return [
        (diagnostic.message or "it does not say why").strip()
        for diagnostic in diagnostics
        if diagnostic.severity == severity and not diagnostic.ephemeral
    ]


def plain(error: str) -> str:
    """An error without what the document has before it."""
    return " ".join(error.split()).removeprefix("error: ")
