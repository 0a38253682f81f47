"""What is done about what was cut off: what the state takes over, and what it says once that was looked at.

`pulumi stack import` forgets what is pending (pkg/cmd/pulumi/stack/io.go, `SaveSnapshot`), so what a refresh
has still to look at is marked in the resource itself: a recovery that is cut off is gone on with.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from moka.names import RESOURCE_TAG
from moka.pulumi_cli import State
from recovery.searches import TAGGED_LATER, belongs, tag_values
from recovery.state import (
    CREATING,
    Operation,
    Resource,
    label,
    needs,
    pending,
    resources_of,
    type_of,
    with_resources,
)

Verdict = Literal["take over", "replacing", "doubled", "several", "record", "forget", "look again", "unknown"]

WORDS: dict[Verdict, str] = {
    "take over": "it may exist",
    "replacing": "it may exist beside what it replaces",
    "doubled": "it may exist a second time",
    "several": "it may exist, more than once",
    "record": "it is in the state only",
    "forget": "it made nothing that the state lacks",
    "look again": "it may have happened",
    "unknown": "it may exist",
}

TAKING: tuple[Verdict, ...] = ("take over", "replacing")

MARK = "Taken over by `moka recover`, which was cut off before it had looked: run it again."
LOOK = "To be looked at by `moka recover`, which was cut off: run it again."


@dataclass(frozen=True)
class Finding:
    """An operation that was cut off, and what it left.

    id: to import, of what may exist. reason: why nobody can say.
    """

    operation: Operation
    verdict: Verdict
    id: str = ""
    reason: str = ""

    def settled(self, delete: bool) -> "Finding":
        """What is done about it. delete: what is beside the one in use goes, even if it was to replace it."""
        return replace(self, verdict="doubled") if delete and self.verdict == "replacing" else self

    def __str__(self) -> str:
        sentence = f"{self.operation.type} {label(self.operation.urn)}: {WORDS[self.verdict]}"
        return sentence + (f", as {self.id}" if self.id else "") + (f"; {self.reason}" if self.reason else "")


@dataclass(frozen=True)
class Outcome:
    """What came of the findings, once a refresh has looked.

    taken: in the state now. gone: nothing was there. alien: it has the tags of something else, and is not in
    the state.
    """

    state: State
    taken: list[Finding]
    gone: list[Finding]
    alien: list[Finding]


def unfinished(state: State) -> list[Operation]:
    """What is pending in a state, and what an earlier recovery that was cut off had still to look at."""
    operations = [
        Operation(CREATING if MARK in resource["initErrors"] else "updating", _unmarked(resource))
        for resource in resources_of(state)
        if {MARK, LOOK} & set(resource.get("initErrors") or ())
    ]
    return [*operations, *pending(state)]


def makes_something(operation: Operation) -> bool:
    """Whether it creates something outside of the state: components and providers are only in it."""
    outside = bool(operation.resource.get("custom")) and not type_of(operation.urn).startswith("pulumi:")
    return operation.type == CREATING and outside


def findings(
    state: State, operation: Operation, ids: Sequence[str], id_of: Callable[[Resource], str]
) -> list[Finding]:
    """What a create that was cut off left, by the ids to import that a search came to.

    id_of: the id to import of a resource in the state.
    """
    recorded = [r for r in resources_of(state) if r["urn"] == operation.urn]
    in_use = [r for r in recorded if not r.get("delete") and not r.get("pendingReplacement")]
    unseen = {id_of(r) for r in in_use if MARK in (r.get("initErrors") or ())}
    new = [id for id in ids if id not in {id_of(r) for r in recorded} - unseen]
    if len(new) > 1 and not in_use:
        return [several(operation, new)]
    if not new:
        return [Finding(operation, "forget")]
    beside: Verdict = "doubled"
    if len(new) == 1 and in_use and in_use[0].get("inputs") != operation.inputs:
        beside = "replacing"
    return [Finding(operation, beside if in_use and id not in unseen else "take over", id) for id in new]


def several(operation: Operation, ids: Sequence[str]) -> Finding:
    """What there is more than once, where nobody can say which is the stack's."""
    reason = f"as {' and '.join(ids)}: delete all but one in AWS, then run this again"
    return Finding(operation, "several", reason=reason)


def with_findings(state: State, findings: Iterable[Finding]) -> State:
    """The state before a refresh looks: with what is taken over, marked, and with what is doubled.

    What is doubled is deleted by the next update, as what was replaced is.
    """
    resources = resources_of(state)
    for finding in findings:
        urn = finding.operation.urn
        entry = {**finding.operation.resource, "id": finding.id, "outputs": {}}
        if finding.verdict in TAKING:
            # One that was deleted to make room for it is in the state until it is made.
            resources = [r for r in resources if r["urn"] != urn or not _leaves(r, finding)]
            replaced = finding.verdict == "replacing"
            resources = [{**r, "delete": True} if replaced and r["urn"] == urn else r for r in resources]
            resources.append({**entry, "initErrors": [MARK]})
        elif finding.verdict == "doubled":
            resources.append({**entry, "delete": True})
        elif finding.verdict == "record":
            resources.append(finding.operation.resource)
        elif finding.verdict == "look again":
            resources = [{**r, "initErrors": [LOOK]} if r["urn"] == urn else r for r in resources]
    return with_resources(state, ordered(resources))


def targets(findings: Iterable[Finding]) -> list[str]:
    """URNs that a refresh has to look at."""
    return sorted({f.operation.urn for f in findings if f.verdict in (*TAKING, "look again")})


def judged(state: State, findings: Sequence[Finding], stack: str) -> Outcome:
    """What came of the findings, from the state after the refresh."""
    resources, outcome = resources_of(state), Outcome(state, [], [], [])
    in_order = {r["urn"]: index for index, r in enumerate(resources)}
    for finding in sorted(findings, key=lambda f: in_order.get(f.operation.urn, -1)):
        if finding.verdict not in TAKING:
            continue
        entry = next(
            (r for r in resources if r["urn"] == finding.operation.urn and not r.get("delete")), None
        )
        if entry is None:
            outcome.gone.append(finding)
        elif _alien(finding.operation, entry.get("outputs") or {}, stack) or _part_of(outcome.alien, entry):
            outcome.alien.append(finding)
            resources.remove(entry)
        else:
            outcome.taken.append(finding)
    return Outcome(with_resources(state, resources), outcome.taken, outcome.gone, outcome.alien)


def ordered(resources: list[Resource]) -> list[Resource]:
    """Resources so that each comes after what it needs, and else as they were."""
    by_urn = {r["urn"]: index for index, r in enumerate(resources) if not r.get("delete")}
    order: dict[int, Resource] = {}

    def place(index: int) -> None:
        if index not in order:
            for urn in needs(resources[index]):
                if by_urn.get(urn, index) != index:
                    place(by_urn[urn])
            order[index] = resources[index]

    for index in range(len(resources)):
        place(index)
    return list(order.values())


def _part_of(aliens: Sequence[Finding], resource: Resource) -> bool:
    """Whether a resource stands on somebody else's, as a bucket's policy on its bucket."""
    return any(finding.operation.urn in needs(resource) for finding in aliens)


def _leaves(resource: Resource, finding: Finding) -> bool:
    """Whether what is taken over comes in place of an entry of its URN."""
    return not resource.get("delete") and (
        finding.verdict == "take over" or bool(resource.get("pendingReplacement"))
    )


def _unmarked(resource: Resource) -> Resource:
    return {name: value for name, value in resource.items() if name != "initErrors"}


def _alien(operation: Operation, outputs: dict[str, Any], stack: str) -> bool:
    """Whether what is there has other tags than the program gives this resource."""
    if RESOURCE_TAG not in (operation.inputs.get("tags") or {}):
        return False
    tags = outputs.get("tagsAll") or outputs.get("tags") or {}
    if not tags and type_of(operation.urn) in TAGGED_LATER:
        return False
    return not belongs(tags, tag_values(operation.name, stack))
