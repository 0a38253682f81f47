"""The stream of events of `pulumi preview --json`, with PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, cast

from previews import refusals
from previews.digest import FAILED, messages, plain
from previews.model import STACK_TYPE, Preview, Refreshed, Violation
from previews.steps import stack_and_project, together
from previews.wire import (
    Diagnostic,
    ErrorEvent,
    Member,
    PolicyEvent,
    PolicySummary,
    ResourceEvent,
    ResourceStep,
    SummaryEvent,
    checked,
)

READ: Mapping[str, type[Member]] = {
    "diagnosticEvent": Diagnostic,
    "summaryEvent": SummaryEvent,
    "resourcePreEvent": ResourceEvent,
    "resOutputsEvent": ResourceEvent,
    "resOpFailedEvent": ResourceEvent,
    "policyEvent": PolicyEvent,
    "policyRemediationEvent": PolicyEvent,
    "policyAnalyzeSummaryEvent": PolicySummary,
    "policyAnalyzeStackSummaryEvent": PolicySummary,
    "errorEvent": ErrorEvent,
}
"""Kinds of events of the engine 3.200 -> what is read of them."""

PASSED_OVER = frozenset(
    {
        "cancelEvent",
        "stdoutEvent",
        "policyLoadEvent",
        "policyRemediateSummaryEvent",
        "startDebuggingEvent",
        "progressEvent",
        "preludeEvent",
    }
)
EVENTS = READ.keys() | PASSED_OVER
"""One of them is a member of each line."""

STAMPS = {"sequence", "timestamp"}
LEVELS = ("mandatory", "advisory", "remediate", "disabled")

M = TypeVar("M", bound=Member)


class Events:
    """The events of a stream that are read, by kind."""

    def __init__(self, lines: Iterable[Mapping[str, Any]], source: str) -> None:
        self._by_kind: dict[str, list[Member]] = defaultdict(list)
        for number, line in enumerate(lines, 1):
            for kind in line.keys() - STAMPS:
                if kind not in EVENTS:
                    raise refusals.newer(source, f"the event {kind!r} at line {number}")
                if kind in READ and not (kind == "resOutputsEvent" and _is_known_before(line[kind])):
                    at = f"line {number}: {kind}."
                    self._by_kind[kind].append(checked(READ[kind], line[kind], source, at))

    def of(self, model: type[M], *kinds: str) -> list[M]:
        """Those of some kinds, in their order. model: what READ has for these."""
        return cast(list[M], [event for kind in kinds for event in self._by_kind[kind]])

    def steps(self, kind: str) -> list[ResourceStep]:
        """What a kind of event says of resources."""
        return [event.metadata for event in self.of(ResourceEvent, kind)]


def from_stream(lines: Iterable[Mapping[str, Any]], source: str) -> Preview:
    """The preview of a stream. Raises UnreadablePreview."""
    events = Events(lines, source)
    violations = tuple(_violations(events, source))
    summary = _summary(events, violations, source)
    steps = events.steps("resourcePreEvent")
    ends = events.steps("resOutputsEvent")
    stack, project = stack_and_project(steps, source)
    refreshed = tuple(_refreshed(ends))
    _refuse_lacking(events, violations, refreshed, source)
    # What the stack would put out is known at its end only.
    roots = [step for step in ends if STACK_TYPE in step.urn and step.op != "refresh"]
    return Preview(
        stack=stack,
        project=project,
        steps=together([*steps, *roots], summary.resource_changes or {}, source),
        violations=violations,
        packs={key.split("|")[0]: version for key, version in (summary.policy_packs or {}).items()},
        warnings=tuple(messages(events.of(Diagnostic, "diagnosticEvent"), "warning")),
        refreshed=refreshed,
    )


def _is_known_before(event: Any) -> bool:
    """Whether the end of a step says no more than its beginning: all but the stack's, and a refresh's."""
    metadata = event.get("metadata") if isinstance(event, Mapping) else None
    if not isinstance(metadata, Mapping) or not isinstance(metadata.get("urn"), str):
        return False
    return metadata.get("op") != "refresh" and STACK_TYPE not in metadata["urn"]


def _summary(events: Events, violations: Sequence[Violation], source: str) -> SummaryEvent:
    """The end of a preview that came to a good one, or was refused by a policy only."""
    mandatory = [str(violation) for violation in violations if violation.level == "mandatory"]
    errors = [
        *messages(events.of(Diagnostic, "diagnosticEvent"), "error"),
        *(event.error or "the engine broke down" for event in events.of(ErrorEvent, "errorEvent")),
        *(step.urn for step in events.steps("resOpFailedEvent")),
    ]
    if mandatory:
        # The engine ends with this error then, and the violations are what it is about.
        errors = [error for error in errors if plain(error) != FAILED]
    if errors:
        raise refusals.failed(source, [*errors, *mandatory])
    summaries = events.of(SummaryEvent, "summaryEvent")
    if not summaries:
        raise refusals.no_summary(source, mandatory)
    if len(summaries) > 1:
        raise refusals.several(source, f"{len(summaries)} previews")
    [summary] = summaries
    if not summary.is_preview:
        raise refusals.no_mere_preview(source)
    if summary.maybe_corrupt:
        raise refusals.corrupt(source)
    return summary


def _violations(events: Events, source: str) -> Iterator[Violation]:
    for event in events.of(PolicyEvent, "policyEvent", "policyRemediationEvent"):
        level = event.enforcement_level or "remediate"
        if level not in LEVELS:
            raise refusals.newer(source, f"a policy of level {level!r}")
        yield Violation(
            policy=event.policy_name,
            pack=event.policy_pack_name or "",
            level=level,
            message=" ".join((event.message or "is remedied by the policy").split()),
            urn=event.resource_urn or "",
        )


def _refreshed(ends: Iterable[ResourceStep]) -> Iterator[Refreshed]:
    for step in ends:
        if step.op == "refresh":
            paths = tuple(sorted(step.detailed_diff or step.diffs or ()))
            yield Refreshed(step.urn, paths, step.new is None)


def _refuse_lacking(
    events: Events, violations: Iterable[Violation], refreshed: Iterable[Refreshed], source: str
) -> None:
    """Raise UnreadablePreview where an event is not there that another one tells of."""
    urns = {resource.urn for resource in refreshed}
    for step in events.steps("resourcePreEvent"):
        if step.op == "refresh" and step.urn not in urns:
            raise refusals.cut_off(source, f"does not say what the refresh of {step.urn} gave")
    policies = {violation.policy for violation in violations}
    for summary in events.of(PolicySummary, "policyAnalyzeSummaryEvent", "policyAnalyzeStackSummaryEvent"):
        for name in summary.failed or ():
            if name not in policies:
                raise refusals.cut_off(source, f"does not have what policy {name} says")
