"""`moka plan`: plans of queues and routes, shown, applied and taken back."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from commands import archer_api
from commands.archer_api import ArcherProblem
from commands.arguments import EnvironmentArgument
from commands.plan_source import plan_in_force, plan_of
from commands.refusals import exit_on
from moka.allocation.plan import Plan, as_data
from moka.allocation.plan_checks import mistakes
from moka.allocation.plan_differences import Change, changes, moves
from moka.allocation.plan_picture import as_svg
from moka.allocation.plan_slos import sentences
from stacks.settings import InvalidDocument, load

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Show plans of queues, and have one take effect.",
    epilog="Archer is named by the variables of the command `archer`: docs/operations/plans.md.",
)

PlanArgument = Annotated[
    str, typer.Argument(metavar="PLAN", help="A file with a plan, or the id of one that Archer has.")
]
IdArgument = Annotated[str, typer.Argument(metavar="PLAN", help="Id of a plan that Archer has.")]
Why = Annotated[str, typer.Option("--why", metavar="TEXT", help="Reason, kept in the history of plans.")]
Revision = Annotated[
    int | None,
    typer.Option(
        metavar="NUMBER",
        help="Revision that must be in force, as `list` and `show` print it; with any other, nothing "
        "changes.",
    ),
]


@app.command()
@exit_on(InvalidDocument, ArcherProblem)
def show(
    environment: EnvironmentArgument,
    plan: PlanArgument,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="PLAN",
            help="Compare with this one; by default with what Archer has in force, or with the settings "
            "where no Archer is named.",
        ),
    ] = None,
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw it, before and after.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the plan as JSON.")] = False,
) -> None:
    """Show what a plan changes, why, and what is expected of it.

    \b
    Examples:
      moka plan show prod tonight.json --svg tonight.svg
      moka plan show prod retail-2026-11-26 --against retail-2026-11-19

    \b
    Exit status: 0 it fits the settings, 1 it does not, 2 wrong settings or arguments, or no such plan.
    """
    settings = load(environment)
    clusters = {name: settings.cluster_settings(name) for name in settings.clusters}
    whole = plan_of(plan)
    name, before = _comparison(against)
    if as_json:
        print(json.dumps(as_data(whole), indent=2))
        return
    queue_changes = list(changes(before, whole, clusters))
    if svg:
        title = f"Plan {whole.id} of {settings.environment}"
        svg.write_text(as_svg(queue_changes, title, name, [*sentences(whole)]))
        print(svg)
        return
    print("\n".join(_description(whole, name, [*map(str, moves(before, whole))], queue_changes)))
    if wrong := mistakes(whole, clusters):
        typer.echo("\n".join(["It does not fit the settings:", *map(str, wrong)]), err=True)
        raise typer.Exit(1)


@app.command("list")
@exit_on(InvalidDocument, ArcherProblem)
def list_(
    as_json: Annotated[bool, typer.Option("--json", help="Print what Archer says as JSON.")] = False,
) -> None:
    """List plans, what is in force, and which clusters have it.

    \b
    Examples:
      moka plan list
      moka plan list --json
    """
    with archer_api.client() as archer:
        answer = archer.list_plans()
    if as_json:
        print(json.dumps(answer))
        return
    last = answer["in_force"]
    print(
        f"In force: {last.get('plan') or 'the settings'}, revision {last['number']}, by {last['by']}: "
        f"{last['why']}"
    )
    for cluster in answer["clusters"]:
        has = "has it" if cluster["revision"] == last["number"] else f"has revision {cluster['revision']}"
        print(f"  {cluster['cluster']}  {has}")
    for plan in answer["plans"]:
        why = f": {plan['why']}" if plan.get("why") else ""
        print(f"{plan['id']}  {plan['state']}, made {plan['made']} by {plan['made_by']}{why}")


@app.command()
@exit_on(InvalidDocument, ArcherProblem)
def propose(file: Annotated[Path, typer.Argument(metavar="FILE", help="A file with a plan.")]) -> None:
    """Have Archer check a plan, and keep it for review.

    \b
    Examples:
      moka plan propose tonight.json
    """
    whole = plan_of(str(file))
    with archer_api.client() as archer:
        answer = archer.propose_plan(as_data(whole))
    print(f"{answer['id']} is {answer['state']}.")


@app.command()
@exit_on(InvalidDocument, ArcherProblem)
def apply(plan: IdArgument, why: Why, revision: Revision = None) -> None:
    """Have a plan that waits take effect: amounts of queues and routes at once, or neither.

    Without --revision, it has to be the one that the plan was compared with when it was made.

    \b
    Examples:
      moka plan apply retail-2026-11-26 --why "looked at it"
      moka plan apply retail-2026-11-26 --why "looked at it" --revision 1795662000
    """
    with archer_api.client() as archer:
        if revision is None:
            revision = archer.get_plan(plan)["document"]["basis"].get("revision")
        if revision is None:
            revision = archer.list_plans(limit=1)["in_force"]["number"]
        _print(archer.apply_plan(plan, revision, why))


@app.command()
@exit_on(InvalidDocument, ArcherProblem)
def rollback(plan: IdArgument, why: Why, revision: Revision = None) -> None:
    """Have a plan take effect that was in force before.

    \b
    Examples:
      moka plan rollback retail-2026-11-19 --why "orders are late"
    """
    with archer_api.client() as archer:
        _print(archer.roll_back_plan(plan, _current_revision(archer, revision), why))


@app.command()
@exit_on(InvalidDocument, ArcherProblem)
def withdraw(why: Why, revision: Revision = None) -> None:
    """Have no plan in force: queues are as the settings have them, and routes of plans end.

    \b
    Examples:
      moka plan withdraw --why "orders are late"
    """
    with archer_api.client() as archer:
        _print(archer.withdraw_plan(_current_revision(archer, revision), why))


@app.command()
@exit_on(InvalidDocument, ArcherProblem)
def refuse(plan: IdArgument, why: Why) -> None:
    """Have a plan that waits never take effect.

    \b
    Examples:
      moka plan refuse retail-2026-11-26 --why "too much at once"
    """
    with archer_api.client() as archer:
        answer = archer.refuse_plan(plan, why)
    print(f"{answer['id']} is {answer['state']}.")


def _current_revision(archer: Any, revision: int | None) -> int:
    return int(archer.list_plans(limit=1)["in_force"]["number"]) if revision is None else revision


def _print(applied: Mapping[str, Any]) -> None:
    print(f"In force: {applied.get('plan') or 'the settings'}, revision {applied['number']}.")
    for sentence in applied.get("left_out", ()):
        print(f"  left out: {sentence}")


def _comparison(against: str | None) -> tuple[str, Plan | None]:
    """What a plan is compared with, and its name."""
    if against is not None:
        return against, plan_of(against)
    if not archer_api.is_configured():
        return "the settings", None
    revision, plan = plan_in_force()
    return f"{plan.id if plan else 'the settings'}, revision {revision}, in force", plan


def _description(
    plan: Plan, before: str, move_sentences: Sequence[str], queue_changes: Sequence[Change]
) -> Iterator[str]:
    basis = plan.basis
    how = [basis.engine, *([f"seed {basis.seed}"] if basis.seed is not None else [])]
    how += [f"at most {basis.gap:.1%} from the best"] if basis.gap is not None else []
    yield f"Plan {plan.id}, made {plan.made} by {plan.by}: {', '.join(how)}"
    yield f"  of what was used from {basis.window.began} to {basis.window.ended}"
    yield from (f"  {sentence}" for sentence in plan.says)
    yield from (f"  {sentence}" for sentence in sentences(plan))
    for name, cluster in plan.clusters.items():
        yield from (f"  {name}: {sentence}" for sentence in cluster.says)
    yield ""
    yield f"Compared with {before}:"
    yield from (f"  {sentence}" for sentence in move_sentences)
    for change in queue_changes:
        yield f"  {change}"
        yield from (f"    {reason}" for reason in _reasons(plan, change, queue_changes))
    if not move_sentences and not queue_changes:
        yield "  nothing changes."


def _reasons(plan: Plan, change: Change, queue_changes: Sequence[Change]) -> Sequence[str]:
    """The reasons of a queue's amounts, after the last of its changes."""
    own_changes = [
        candidate
        for candidate in queue_changes
        if (candidate.cluster, candidate.queue) == (change.cluster, change.queue)
    ]
    if change is not own_changes[-1] or change.cluster not in plan.clusters:
        return ()
    queue = plan.clusters[change.cluster].queues.get(change.queue)
    return queue.reasons if queue else ()
