"""The stream of events of `pulumi preview --json`, with PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true."""

from collections.abc import Iterable, Mapping
from typing import Any

from report.preview.digest import FAILED, refuse_failed, refuse_lacking, stack_of
from report.preview.model import Preview, UnreadablePreview, Violation
from report.preview.steps import entry, together

PASSED_OVER = frozenset(
    {
        "cancelEvent",
        "stdoutEvent",
        "resOutputsEvent",
        "policyLoadEvent",
        "policyAnalyzeSummaryEvent",
        "policyRemediateSummaryEvent",
        "policyAnalyzeStackSummaryEvent",
        "startDebuggingEvent",
        "progressEvent",
        "preludeEvent",
    }
)
EVENTS = PASSED_OVER | {
    "diagnosticEvent",
    "summaryEvent",
    "resourcePreEvent",
    "resOpFailedEvent",
    "policyEvent",
    "policyRemediationEvent",
    "errorEvent",
}
"""Events of the engine 3.200: one of them is a member of each line."""

LEVELS = ("mandatory", "advisory", "remediate", "disabled")


def from_stream(lines: Iterable[Mapping[str, Any]], source: str) -> Preview:
    """The preview of a stream. Raises UnreadablePreview."""
    events: dict[str, list[Mapping[str, Any]]] = {}
    for line in lines:
        for kind in line.keys() - {"sequence", "timestamp"}:
            if kind not in EVENTS:
                raise UnreadablePreview(
                    f"{source} has the event {kind!r}, which is not known here: a newer engine's, so bring "
                    "`moka` up to it, or preview with the engine of this checkout."
                )
            events.setdefault(kind, []).append(line[kind] or {})
    violations = tuple(_violations(events, source))
    _refuse_broken(events, violations, source)
    [*_, summary] = events["summaryEvent"]
    metadata = [event.get("metadata") for event in events.get("resourcePreEvent", ())]
    preview = Preview(
        stack=stack_of(metadata, source),
        steps=together(entry(step, "old", "new", source, "diffs", "keys") for step in metadata),
        violations=violations,
        packs={
            key.split("|")[0]: str(version) for key, version in (summary.get("PolicyPacks") or {}).items()
        },
        warnings=tuple(_diagnostics(events, "warning")),
    )
    refuse_lacking(preview.steps, summary.get("resourceChanges") or {}, source)
    return preview


def _refuse_broken(
    events: Mapping[str, list[Mapping[str, Any]]], violations: tuple[Violation, ...], source: str
) -> None:
    errors = [
        *_diagnostics(events, "error"),
        *[str(event.get("error")) for event in events.get("errorEvent", ())],
        *[str((event.get("metadata") or {}).get("urn")) for event in events.get("resOpFailedEvent", ())],
    ]
    if any(violation.level == "mandatory" for violation in violations):
        # The engine ends with this error then, and the report has what it is about.
        errors = [error for error in errors if error != FAILED]
    refuse_failed(errors, source)
    summaries = events.get("summaryEvent", [])
    if not summaries:
        raise UnreadablePreview(
            f"{source} has no summary, so the preview did not end or is cut off: look at what pulumi wrote "
            "to stderr, and preview again."
        )
    if len(summaries) > 1:
        raise UnreadablePreview(f"{source} has {len(summaries)} previews: give one stack's at a time.")
    if not summaries[0].get("isPreview"):
        raise UnreadablePreview(f"{source} is of an `up`, `destroy` or `refresh`: give a preview's.")
    if summaries[0].get("maybeCorrupt"):
        raise UnreadablePreview(f"{source} says that the stack's state may be corrupt: repair that first.")


def _diagnostics(events: Mapping[str, list[Mapping[str, Any]]], severity: str) -> list[str]:
    return [
        str(event.get("message", "")).strip()
        for event in events.get("diagnosticEvent", ())
        if event.get("severity") == severity and not event.get("ephemeral")
    ]


def _violations(events: Mapping[str, list[Mapping[str, Any]]], source: str) -> Iterable[Violation]:
    for kind in ("policyEvent", "policyRemediationEvent"):
        for event in events.get(kind, ()):
            level = str(event.get("enforcementLevel") or "remediate")
            if level not in LEVELS:
                raise UnreadablePreview(
                    f"{source} has a policy of level {level!r}, which is not known here: a newer engine's, "
                    "so bring `moka` up to it."
                )
            yield Violation(
                policy=str(event.get("policyName")),
                pack=str(event.get("policyPackName")),
                level=level,
                message=" ".join(str(event.get("message") or "is remedied by the policy").split()),
                urn=str(event.get("resourceUrn") or ""),
            )
