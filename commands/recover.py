"""`moka recover`: an update that was cut off, put right."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from commands.arguments import StackArgument
from commands.refusals import exit_on
from moka.pulumi_cli import State, meant
from recovery.backend_locks import dead, drop_cut_attributes, elsewhere, locks
from recovery.creations import creations, frame
from recovery.outcomes import OutcomeSearch
from recovery.plan import Finding, judged, targets, unfinished, with_findings
from recovery.pulumi_cli import (
    COMMAND,
    Stopped,
    existing_stacks,
    export,
    preview,
    project,
    pulumi,
    run,
    stacks_of,
)
from recovery.state import BrokenState, label, refuse_broken

Report = dict[str, Any]


def recover(
    stack: StackArgument,
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="-- COMMAND",
            help="What runs pulumi on a stack, {verb} being `refresh`, `destroy` or `preview`, and {stack} "
            f"its name; by default `{' '.join(COMMAND)}`.",
        ),
    ] = None,
    delete: Annotated[
        bool, typer.Option("--delete", help="Delete what was made unrecorded, in place of importing it.")
    ] = False,
    forget: Annotated[
        bool,
        typer.Option(
            "--forget",
            help="Treat what cannot be searched for as absent, after you have checked it yourself.",
        ),
    ] = False,
    planned: Annotated[
        bool,
        typer.Option(
            "--planned",
            help="Also search for everything that `up` would create, for example after a plugin crashed.",
        ),
    ] = False,
    rebuild: Annotated[
        bool,
        typer.Option(
            "--rebuild",
            help="Rebuild a state that is lost or outdated: search for everything that should exist.",
        ),
    ] = False,
    unlock: Annotated[
        bool,
        typer.Option(
            "--unlock",
            help="Lift locks of other machines, too, after you have made sure that nothing runs there.",
        ),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Act without asking.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Only say whether an update was cut off; a stack may be missing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was done as JSON.")] = False,
) -> None:
    """Put a stack right after an update that was cut off.

    It lifts the lock of a process that is gone, shows what was under way, finds in AWS and Kubernetes what
    was made without being recorded, and imports it. Then `pulumi up`, or `destroy`, goes on as if nothing had
    happened. It asks before it changes anything, and may be cut off and run again.

    \b
    Examples:
      moka recover prod              all stacks of prod
      moka recover prod.spark-a      one of them
      moka recover prod --delete     what was made without being recorded is deleted
      moka recover prod --planned    also what a plugin made that died while pulumi went on
      moka recover prod --rebuild    the whole of it: its state was lost
      moka recover prod --unlock     the machine is gone that held its lock, such as a runner of CI
      moka recover prod --check      whether an update was cut off, as `make up` asks before it begins

    Exit status: 0 nothing is left to recover, 1 something is left to people or was declined, 2 nothing
    could be asked.
    """
    with exit_on(Stopped, BrokenState):
        if check:
            raise typer.Exit(_cut_off(stack))
        for path in drop_cut_attributes():
            typer.echo(
                f"{path} was only partly written and has been removed; it held nothing else.", err=True
            )
        wishes = Wishes(
            command=command or COMMAND,
            delete=delete,
            forget=forget,
            planned=planned,
            rebuild=rebuild,
            unlock=unlock,
            yes=yes,
        )
        reports = [_recover(entry, wishes) for entry in stacks_of(stack)]
    if as_json:
        print(json.dumps(reports, indent=2))
    raise typer.Exit(any(report["left"] for report in reports))


def _cut_off(name: str) -> bool:
    """Whether an update of one of the stacks was cut off, and says so."""
    cut_off = {stack: unfinished(_whole(stack)) for stack in meant(name, existing_stacks())}
    for stack, operations in cut_off.items():
        if operations:
            shown = ", ".join(f"{operation.type} {label(operation.urn)}" for operation in operations[:3])
            more = f" and {len(operations) - 3} more" if operations[3:] else ""
            _say(
                f"An update of {stack} was cut off while it was {shown}{more}, and its outcome is unknown: "
                f"run `make recover STACK={stack}`, then this again."
            )
    return any(cut_off.values())


def _whole(stack: str) -> State:
    """A state. Raises Stopped where it cannot be read, BrokenState where nobody may build on it."""
    state = export(stack)
    refuse_broken(state, stack, project())
    return state


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """What the caller wants, by the options of those names."""

    command: Sequence[str]
    delete: bool
    forget: bool
    planned: bool
    rebuild: bool
    unlock: bool
    yes: bool

    @property
    def previews(self) -> bool:
        """Whether what an `up` would create is looked for."""
        return self.planned or self.rebuild


def _recover(entry: dict[str, Any], wishes: Wishes) -> Report:
    """Recover a stack; what `up` would create in rounds, as ids of what was there say where more is."""
    report = _recovery(entry, wishes)
    while wishes.previews and _went_on(report) and not report["left"]:
        further = _recovery(entry, wishes)
        if not _went_on(further):
            break
        lists = ("imported", "recorded")
        report = further | {name: [*report.get(name, ()), *further.get(name, ())] for name in lists}
    return report


def _went_on(report: Report) -> bool:
    return bool(report.get("imported") or report.get("recorded"))


def _recovery(entry: dict[str, Any], wishes: Wishes) -> Report:
    stack, delete, forget = str(entry["name"]), wishes.delete, wishes.forget
    holders = [
        str(lock) for lock in locks(stack) if not dead(lock) and not (wishes.unlock and elsewhere(lock))
    ]
    if entry.get("updateInProgress"):
        holders.append("somebody else's update, as the backend says")
    if holders:
        raise Stopped(
            f"{stack} is being updated by {' and '.join(holders)}: wait for it; if that process is gone, "
            f"`pulumi cancel {stack}` lifts its lock, then run this again, or --unlock does it here. Nothing "
            "was changed."
        )
    state = _whole(stack)
    stale = locks(stack)
    look = OutcomeSearch(stack, state)
    findings = look.findings()
    if wishes.previews:
        _say(f"{stack}: looking for what an up would create ...")
        shown = preview(wishes.command, stack)
        if wishes.rebuild:
            findings += [Finding(operation, "record") for operation in frame(shown, state)]
        findings += look.unrecorded_creations(creations(shown, state))
    report: Report = {"stack": stack, "locks": [str(lock) for lock in stale], "left": []}
    if not stale and not findings:
        _say(f"{stack} needs no recovery: nothing is locked, and nothing was cut off.")
        return report
    for lock in stale:
        _say(f"{stack} is locked by {lock}{'' if elsewhere(lock) else ', which has ended'}.")
    for finding in findings:
        _say(f"{stack}, {finding}.")
    report["findings"] = [str(finding) for finding in findings]
    report["left"] = [str(finding) for finding in findings if _undecided(finding, delete, forget)]
    if report["left"]:
        _say(_what_is_left(stack, findings, delete, forget))
        return report
    if not wishes.yes and not _agreed(stack, delete):
        report["left"] = report["findings"] or report["locks"]
        return report
    if stale:
        pulumi("cancel", stack, "--yes")
    if findings:
        report |= _settlement(stack, state, [finding.settled(delete) for finding in findings], wishes)
    _say(f"{stack} is recovered: run again what was cut off, `make up STACK={stack}` or `make down`.")
    return report


def _undecided(finding: Finding, delete: bool, forget: bool) -> bool:
    return (finding.verdict in ("unknown", "several") and not forget) or (
        finding.verdict == "doubled" and not delete
    )


def _what_is_left(stack: str, findings: Sequence[Finding], delete: bool, forget: bool) -> str:
    ways = []
    if not delete and any(finding.verdict == "doubled" for finding in findings):
        ways.append("--delete deletes what exists a second time")
    if not forget and any(finding.verdict in ("unknown", "several") for finding in findings):
        ways.append("look for the rest by hand, and once it is gone --forget says so")
    return f"Nothing of {stack} was changed: {'; '.join(ways)}."


def _agreed(stack: str, delete: bool) -> bool:
    action = "delete what exists of that" if delete else "import what exists of that"
    if not sys.stdin.isatty():
        _say(f"Nothing was changed; --yes does it: {action}.")
        return False
    return typer.confirm(f"Change the state of {stack}, and {action}?", err=True)


def _settlement(stack: str, before: State, findings: Sequence[Finding], wishes: Wishes) -> Report:
    """Take over what was made, have it looked at, and keep in the state what is there and ours."""
    if export(stack).get("deployment") != before.get("deployment"):
        raise Stopped(f"{stack} was changed meanwhile: run this again. Nothing was changed.")
    _import(stack, with_findings(before, findings))
    if (urns := targets(findings)) and run(wishes.command, "refresh", stack, urns):
        raise Stopped(
            f"The resources of {stack} could not be read, as pulumi says above: correct that, then run this "
            "again; it continues from here."
        )
    outcome = judged(export(stack), findings, stack)
    if outcome.alien:
        _import(stack, outcome.state)
    for finding in outcome.gone:
        _say(f"{label(finding.operation.urn)}: nothing was made; it is made by the next up.")
    for finding in outcome.alien:
        _say(f"{label(finding.operation.urn)}: {finding.id} has other tags, so it is somebody else's.")
    if not wishes.delete:
        for finding in outcome.taken:
            _say(f"{label(finding.operation.urn)}: imported, as {finding.id}.")
    elif outcome.taken and run(wishes.command, "destroy", stack, [f.operation.urn for f in outcome.taken]):
        raise Stopped(f"Not all of {stack} could be deleted, as pulumi says above: run this again.")
    return {
        "recorded": [f.operation.urn for f in findings if f.verdict == "record"],
        "deleted" if wishes.delete else "imported": [f.operation.urn for f in outcome.taken],
        "not_made": [f.operation.urn for f in outcome.gone],
        "left": [f"{f.operation.urn}: {f.id} is somebody else's" for f in outcome.alien],
    }


def _import(stack: str, state: State) -> None:
    pulumi("stack", "import", "--stack", stack, text=json.dumps(state))


def _say(sentence: str) -> None:
    """What people read goes beside what scripts read."""
    print(sentence, file=sys.stderr, flush=True)
