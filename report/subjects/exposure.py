"""What becomes reachable, and from where; what is no longer."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from previews import Preview, Step
from report.model import WEIGHTS, Finding, Section, Weight
from report.subjects.isolation import isolation
from report.subjects.openings import EVERYWHERE, READERS, Opening, described, openings
from report.words import code, count, listing, plain

NAMED = (
    "aws:ec2/securityGroup:SecurityGroup",
    "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup",
    "aws:ec2/routeTable:RouteTable",
)
"""Types whose ids openings name."""

LOOK: Weight = "look"
NOTE: Weight = "note"

ASSOCIATION = "aws:ec2/routeTableAssociation:RouteTableAssociation"

REMARK = (
    "Compared are single ways (rules of security groups, routes, endpoints, load balancers, network "
    "policies): whether a packet gets through depends on all that are on its way."
)


def exposure(preview: Preview) -> Section:
    """The section of ways that open and close."""
    before: list[Opening] = []
    after: list[Opening] = []
    names = {
        state.id: step.name
        for step in preview.of(*NAMED)
        for state in (step.old, step.new)
        if state is not None and state.id
    }
    for step in preview.of(*READERS):
        before += [_with_names(opening, names) for opening in openings(step, step.old)]
        after += [_with_names(opening, names) for opening in openings(step, step.new)]
    new_stack = not any(step.old for step in preview.steps if step.state.custom)
    new_openings = _without(after, before)
    findings = [
        *_findings(new_openings, new_stack=new_stack),
        *isolation(preview),
        *(_move(step) for step in preview.changes_of(ASSOCIATION) if step.op in ("update", "replace")),
    ]
    lost_openings = _without(before, after)
    for public, weight in ((True, NOTE), (False, LOOK)):
        ways = [_way(opening, "") for opening in lost_openings if _from_outside(opening) is public]
        if ways:
            findings.append(Finding(weight=weight, says=f"No longer: {listing(ways, 8)}."))
    return Section(
        subject="exposure",
        title="What becomes reachable",
        findings=sorted(findings, key=lambda finding: WEIGHTS.index(finding.weight)),
        remark=REMARK if findings else "",
    )


def _from_outside(opening: Opening) -> bool:
    """Whether nobody misses a way that closes: one from the internet."""
    return opening.public and not opening.outward


def _with_names(opening: Opening, names: Mapping[str, str]) -> Opening:
    """An opening with logical names for ids."""
    words = re.sub(r"(sg|rtb)-[0-9a-f]+", lambda id_: names.get(id_[0], id_[0]), opening.target)
    return replace(opening, target=words, source=names.get(opening.source, opening.source))


def _without(openings: Iterable[Opening], others: Sequence[Opening]) -> list[Opening]:
    """Openings that no other one lets through; each once."""
    by_target: dict[str, list[Opening]] = {}
    for wider in others:
        by_target.setdefault(wider.target, []).append(wider)
    return [
        opening
        for opening in dict.fromkeys(openings)
        if not any(wider.covers(opening) for wider in by_target.get(opening.target, ()))
    ]


def _findings(openings: Sequence[Opening], *, new_stack: bool) -> Iterator[Finding]:
    for opening in openings:
        if opening.public and not opening.outward:
            wide = opening.source in EVERYWHERE
            source = "anybody on the internet" if wide else f"{code(opening.source)} on the internet"
            sentence = _way(opening, source)
            yield Finding(weight="stop" if wide else "look", says=f"**{sentence[0].upper()}{sentence[1:]}.**")
    rest = [opening for opening in openings if not opening.public or opening.outward]
    if new_stack and rest:
        ways = listing((_way(opening, "") for opening in rest), 12)
        yield Finding(weight="note", says=f"{count(len(rest), 'way')} of a new stack: {ways}.")
        return
    for opening in rest:
        sentence = _way(opening, "")
        yield Finding(weight="look", says=f"{sentence[0].upper()}{sentence[1:]}.")


def _way(opening: Opening, source: str) -> str:
    near, far = plain(opening.target), source or plain(opening.source)
    target, whence = (far, near) if opening.outward else (near, far)
    return f"{target}{described(opening)} can be reached from {whence}"


def _move(step: Step) -> Finding:
    return Finding(
        weight="look", says=f"The subnet of {code(step.name)} takes another route table: other ways are open."
    )
