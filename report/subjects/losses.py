"""What is replaced or deleted, what of it holds data, and what stood between."""

from collections.abc import Iterable, Iterator

from previews import Preview, State, Step
from report.model import WEIGHTS, Finding, Section, Table, Weight
from report.subjects.data import HOLDS, held, keeps_volumes, unprotected
from report.subjects.keeping import keeping
from report.words import change, code, count, listing, resource, short_type

VERBS = {"delete": "deleted", "replace": "replaced", "discard": "forgotten"}


def losses(preview: Preview) -> Section:
    """The section of what goes, and of what nothing protects any more."""
    # Components are nothing that stands: their parts have steps of their own. Nor is a provider.
    lost_steps = [
        step
        for step in preview.changes
        if step.op in VERBS and step.old and step.state.custom and not step.type.startswith("pulumi:")
    ]
    data, rest = (
        [step for step in lost_steps if bool(step.old and held(step.old)) is holds] for holds in (True, False)
    )
    findings = [*_losses(data), *_unprotected_steps(preview), *keeping(preview)]
    if rest:
        sentence = (
            f"Without data of their own, and gone or made anew: {count(len(rest), 'resource')}, in the table."
        )
        findings.append(Finding(weight="look", says=sentence))
    return Section(
        subject="losses",
        title="What is replaced or deleted",
        findings=sorted(findings, key=lambda finding: WEIGHTS.index(finding.weight)),
        table=_table(rest),
    )


def _losses(data: Iterable[Step]) -> Iterator[Finding]:
    """What is lost, resources that lose the same in the same way together."""
    groups: dict[tuple[str, Weight, str, str], list[Step]] = {}
    for step in sorted(data, key=lambda step: list(HOLDS).index(step.type) if step.type in HOLDS else 0):
        assert step.old is not None
        forces = f" (by {listing(map(code, step.forces), 3)})" if step.forces else ""
        weight, means = _meaning(step)
        key = (short_type(step.type), weight, f"{VERBS[step.op]}{forces}", f"{held(step.old)}: {means}")
        groups.setdefault(key, []).append(step)
    for (kind, weight, happens, means), steps in groups.items():
        names = listing((code(step.name) for step in steps), 8)
        sentence = f"{kind} {names} {'is' if len(steps) == 1 else 'are'} {happens}, with {means}"
        yield Finding(weight=weight, says=f"**{sentence}.**" if weight == "stop" else f"{sentence}.")


def _meaning(step: Step) -> tuple[Weight, str]:
    assert step.old is not None
    if step.op == "discard" or step.old.retain:
        return "look", "it stays, and Pulumi forgets it"
    if keeps_volumes(step.old):
        return "look", "their claims stay"
    return "stop", f"lost, as {_protection(step.old)}"


def _table(steps: list[Step]) -> Table | None:
    groups: dict[tuple[str, str, str], list[str]] = {}
    for step in steps:
        cause = ", ".join(map(code, step.forces[:4])) or ("" if step.op == "replace" else "left out")
        groups.setdefault((short_type(step.type), VERBS[step.op], cause), []).append(code(step.name))
    rows = [
        [kind, verb, str(len(names)), cause, listing(names, 5)]
        for (kind, verb, cause), names in sorted(groups.items())
    ]
    return Table(head=("what", "is", "number", "by", "which"), rows=rows) if rows else None


def _protection(state: State) -> str:
    if state.protect:
        return "soon as somebody lifts its protection, which until then makes `up` refuse this"
    means = unprotected(state)
    return f"nothing protects it{f', and {means}' if means else ''}"


def _unprotected_steps(preview: Preview) -> Iterator[Finding]:
    """Resources with data that stay, and that the next change could delete."""
    bare: list[Step] = []
    for step in preview.steps:
        if step.old is None or step.new is None or held(step.old) is None or step.op == "replace":
            continue
        if (step.old.protect and not step.new.protect) or (step.old.retain and not step.new.retain):
            bare.append(step)
        elif unprotected(step.new) and not unprotected(step.old):
            yield Finding(
                weight="look", says=f"{resource(step)}: once it is deleted, {unprotected(step.new)}."
            )
    if bare:
        protection = change("protected", "not protected")
        yield Finding(
            weight="stop",
            says=f"**{listing(map(resource, bare))} hold data and lose what protects them ({protection}): "
            "the next change may delete them.**",
        )
