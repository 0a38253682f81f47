"""Which principals gain or lose rights: by what they may do, and not by how policies are written."""

from collections.abc import Iterable, Iterator

from previews import Preview
from report.model import WEIGHTS, Finding, Section, Weight
from report.rights.holders import SOURCES, Holders, holders
from report.rights.rights import Actions, Scope, gained
from report.rights.summary import EVERYTHING, actions_in_words, scope_in_words
from report.words import code, count, listing, plain

IDENTITIES = ("role ", "user ", "group ")

ANYBODY = "anybody"

PERMISSIONS = ("iam:", "organizations:", "sts:assumerole")
"""Actions by which whoever has them on everything may give themselves the rest."""

REMARK = (
    "Compared are the actions that policies come to (Service Authorization Reference), on resources and "
    "under conditions; service control policies and session policies are left out."
)


def identities(preview: Preview) -> Section:
    """The section of rights, of people and programs."""
    if not any(preview.changes_of(*SOURCES)):
        return Section(subject="identities", title="Rights")
    before, after = holders(preview, lambda step: step.old), holders(preview, lambda step: step.new)
    gains: list[Finding] = []
    losses: list[Finding] = []
    fresh: list[str] = []
    new_stack = not any(step.old for step in preview.steps if step.state.custom)
    doubtful = {holder for holder, _ in after.unjudged.values()}
    for holder in sorted({*before.rights, *after.rights}):
        old, new = before.of(holder), after.of(holder)
        if old == new:
            continue
        more = _groups(gained(old, new))
        # A policy that is not known may name anybody.
        blind = holder not in before.boundaries and any(
            not identity.startswith(IDENTITIES) for identity in doubtful
        )
        if new_stack and holder != ANYBODY and more and not _grave(holder, more):
            fresh.append(f"{plain(holder)} ({_brief(more)})")
            continue
        gains += _gains(holder, more)
        if holder not in doubtful and not blind:
            losses += _losses(holder, _groups(gained(new, old)))
    findings = [*gains, *_bounds(before, after), *_unjudged(before, after)]
    if fresh:
        findings.append(Finding(weight="note", says=f"New, with rights: {listing(fresh, 12)}."))
    findings += losses
    findings.sort(key=lambda finding: WEIGHTS.index(finding.weight))
    return Section(subject="identities", title="Rights", findings=findings, remark=REMARK if findings else "")


Gains = list[tuple[list[Scope], Actions]]


def _groups(gains: Iterable[tuple[Scope, Actions]]) -> Gains:
    """Scopes with the same actions and conditions, together."""
    groups: dict[tuple[Actions, object], list[Scope]] = {}
    for scope, actions in gains:
        groups.setdefault((actions, scope.conditions), []).append(scope)
    return [
        (sorted(scopes, key=lambda scope: scope.resource), actions) for (actions, _), scopes in groups.items()
    ]


def _grave(holder: str, gains: Gains) -> bool:
    return any(_weight(holder, scopes, actions) == "stop" for scopes, actions in gains)


def _weight(holder: str, scopes: list[Scope], actions: Actions) -> Weight:
    everywhere = any(scope.resource == "*" and not scope.conditions for scope in scopes)
    open_to_all = holder == ANYBODY and any(not scope.conditions for scope in scopes)
    powerful = len(actions) > EVERYTHING or any(action.lower().startswith(PERMISSIONS) for action in actions)
    return "stop" if open_to_all or (everywhere and powerful) else "look"


def _gains(holder: str, gains: Gains) -> Iterator[Finding]:
    for scopes, actions in gains:
        weight = _weight(holder, scopes, actions)
        sentence = (
            f"{plain(holder).capitalize() if holder == ANYBODY else plain(holder)} gains "
            f"{actions_in_words(actions)} {scope_in_words(scopes)}"
        )
        yield Finding(weight=weight, says=f"**{sentence}.**" if weight == "stop" else f"{sentence}.")


def _losses(holder: str, losses: Gains) -> Iterator[Finding]:
    for scopes, actions in losses:
        yield Finding(
            weight="look", says=f"{plain(holder)} loses {actions_in_words(actions)} {scope_in_words(scopes)}."
        )


def _brief(gains: Gains) -> str:
    actions = frozenset().union(*(actions for _, actions in gains))
    return count(len(actions), "action")


def _bounds(before: Holders, after: Holders) -> Iterator[Finding]:
    """Roles whose permissions boundary changes."""
    for role, boundary in after.boundaries.items():
        old = before.boundaries.get(role)
        if old and old != boundary:
            sentence = f"has the permissions boundary {code(boundary)} instead of {code(old)}"
            sentence = sentence if boundary else f"has no permissions boundary any more; it had {code(old)}"
            yield Finding(weight="look" if boundary else "stop", says=f"role {code(role)} {sentence}.")


def _unjudged(before: Holders, after: Holders) -> Iterator[Finding]:
    """What is not known, unless it was not known before and is the same."""
    reasons: dict[str, list[str]] = {}
    for urn, (holder, reason) in sorted(after.unjudged.items()):
        if before.unjudged.get(urn) != (holder, reason):
            reasons.setdefault(reason, []).append(plain(holder))
    for reason, doubtful in reasons.items():
        yield Finding(
            weight="look", says=f"Not judged: {listing(dict.fromkeys(doubtful), 8)}: {plain(reason)}."
        )
