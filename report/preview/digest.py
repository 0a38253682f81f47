"""The document of `pulumi preview --json`. It has no results of policies."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from report.preview.model import Op, Preview, Step, UnreadablePreview
from report.preview.steps import entry, together

COUNTED: tuple[Op, ...] = ("create", "update", "delete", "replace", "import")
"""Operations of which the summary's numbers are those of steps."""


FAILED = "preview failed"
"""The engine's words where its policies refuse, and where all else is said elsewhere."""


def from_digest(document: Mapping[str, Any], source: str) -> Preview:
    """The preview of a digest. Raises UnreadablePreview."""
    diagnostics = document.get("diagnostics") or []
    refuse_failed([str(one.get("message")) for one in diagnostics if one.get("severity") == "error"], source)
    steps = document.get("steps")
    if "changeSummary" not in document and "steps" not in document:
        raise UnreadablePreview(
            f"{source} is JSON, and no preview: it has neither `steps` nor `changeSummary`; give what "
            "`pulumi preview --json` prints."
        )
    if not isinstance(document.get("changeSummary"), Mapping):
        raise UnreadablePreview(
            f"{source} has no summary, so the preview did not end: look at what pulumi wrote to stderr."
        )
    if document.get("maybeCorrupt"):
        raise UnreadablePreview(f"{source} says that the stack's state may be corrupt: repair that first.")
    preview = Preview(
        stack=stack_of(steps or [], source),
        steps=together(
            entry(step, "oldState", "newState", source, "diffReasons", "replaceReasons")
            for step in steps or ()
        ),
        warnings=tuple(
            str(one.get("message", "")).strip() for one in diagnostics if one.get("severity") == "warning"
        ),
    )
    refuse_lacking(preview.steps, document["changeSummary"], source)
    return preview


def stack_of(steps: Any, source: str) -> str:
    """The stack that the first step's URN names. Raises UnreadablePreview where there is no step."""
    if not isinstance(steps, list) or not steps:
        raise UnreadablePreview(
            f"{source} has no step, not even the stack's own: preview again, and give all that it prints."
        )
    urn = steps[0].get("urn") if isinstance(steps[0], Mapping) else None
    if not isinstance(urn, str) or not urn.startswith("urn:pulumi:"):
        raise UnreadablePreview(f"{source} has a step without a URN: it is not of `pulumi preview --json`.")
    return urn.removeprefix("urn:pulumi:").split("::")[0]


def refuse_failed(errors: list[str], source: str) -> None:
    """Raise UnreadablePreview where the engine had errors."""
    errors = [" ".join(error.split()).removeprefix("error: ") for error in errors]
    if set(errors) == {FAILED}:
        raise UnreadablePreview(
            f"The preview in {source} failed, and this form of it does not say why, as where a policy "
            "refuses: preview again with PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true."
        )
    if errors:
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        raise UnreadablePreview(
            f"The preview in {source} failed: {errors[0][:300]}{more}; correct that, and preview again."
        )


def refuse_lacking(steps: tuple[Step, ...], summary: Mapping[str, Any], source: str) -> None:
    """Raise UnreadablePreview where the engine counted more steps than there are, or others."""
    counts = Counter(step.op for step in steps)
    for op in COUNTED:
        number = int(summary.get(op) or 0)
        if counts[op] < number:
            raise UnreadablePreview(
                f"{source} has {counts[op]} of {number} steps to {op}: it is cut off; preview again, and "
                "keep all of it."
            )
