"""`moka allocate`: makes a plan of what was used."""

import os
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from commands import archer_api
from commands.archer_api import ArcherProblem
from commands.arguments import EnvironmentArgument
from commands.history_source import HistoryUnreachable, history
from commands.plan_source import archer_platform
from commands.refusals import exit_on, writing
from commands.workflow_file import workflows_in
from moka.allocation.platform import Platform
from moka.mistakes import InvalidDocument, counted
from moka.workflows.definitions import Workflow
from stacks.offers import offer
from stacks.settings import load

if TYPE_CHECKING:
    from moka.allocation.plan import Plan


def allocate(
    environment: EnvironmentArgument,
    workflows: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Workflows with tier, SLO, project and home (moka-workflows/1); by default those of Archer.",
        ),
    ] = None,
    engine: Annotated[
        Literal["cp-sat", "percentile"],
        typer.Option(
            help="cp-sat plans all clusters together; percentile plans each cluster by itself and moves no "
            "workflow."
        ),
    ] = "cp-sat",
    moves: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Workflows that may go to another cluster than now; by default `allocation.most_moves` in "
            "the settings.",
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="End of the history that is used, rounded down to midnight UTC; by default now.",
        ),
    ] = None,
    days: Annotated[int, typer.Option(min=1, max=400, metavar="N", help="Days of history.")] = 30,
    seed: Annotated[
        int, typer.Option(metavar="N", help="Seed of the search: the same seed finds the same plan.")
    ] = 1,
    seconds: Annotated[
        float, typer.Option(min=1, metavar="S", help="Longest time of the search, in seconds.")
    ] = 120,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--history", metavar="DIR", help="A folder laid out as the bucket; by default the bucket."
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where the plan goes; by default it is printed.")
    ] = None,
    propose: Annotated[
        bool, typer.Option("--propose", help="Have Archer check it, and keep it for review.")
    ] = False,
) -> None:
    """Make a plan of what was used.

    It says what queues get by the hour, and where workflows run. It is a document, moka-plan/1, and changes
    nothing: `moka plan show` draws it, and `moka plan apply` has it take effect. docs/allocation.md explains
    how it is found. The bucket is read with the AWS credentials in the environment, with s3:ListBucket,
    s3:GetObject and kms:Decrypt. Where the variables of the command `archer` name Archer, its routes and what
    is in force count.

    \b
    Examples:
      moka allocate prod --propose
      moka allocate prod --workflows examples/workflows/retail.yaml --output plan.json
      moka allocate prod --workflows examples/workflows/retail.yaml --engine percentile --days 7
      moka allocate prod --workflows examples/workflows/retail.yaml --history history --moves 0

    \b
    Exit status: 0 a plan was made,
    2 wrong settings or arguments, or a history of which nothing can be made.
    """
    from moka.allocation.fleet import InvalidFleet
    from moka.allocation.plan import as_data
    from moka.allocation.rules import Rules
    from planning.history import UnreadableHistory
    from planning.planner import NothingKnown, Request, plan
    from planning.solver import Options

    with exit_on(
        ArcherProblem, InvalidDocument, HistoryUnreachable, UnreadableHistory, NothingKnown, InvalidFleet
    ):
        settings = load(environment)
        platform = archer_platform() if propose or archer_api.is_configured() else Platform()
        request = Request(
            offers=[offer(settings, name) for name in settings.clusters],
            workflows=workflows_in(workflows) if workflows else _known_workflows(platform),
            routes=platform.routes,
            fixed=platform.fixed,
            revision=platform.revision,
            in_force=platform.plan,
            until=_millis(until),
            engine=engine,
            options=Options(seed=seed, seconds=seconds),
            rules=Rules(days=days),
            max_moves=settings.allocation.most_moves if moves is None else moves,
            by=os.environ.get("USER") or "moka allocate",
        )
        with history(settings, folder, request.days) as records:
            began = time.monotonic()
            result = plan(
                records,
                request,
                lambda sentence: typer.echo(f"{time.monotonic() - began:5.1f} s  {sentence}", err=True),
            )
        if propose:
            with archer_api.client() as archer:
                archer.propose_plan(as_data(result))
    _write_plan(result, output, propose)


def _write_plan(plan: "Plan", output: Path | None, proposed: bool) -> None:
    """Print the plan, or write it, and say what it has."""
    from moka.allocation.plan import dumps

    queues = counted(sum(len(cluster.queues) for cluster in plan.clusters.values()), "queue")
    clusters, routes = counted(len(plan.clusters), "cluster"), counted(len(plan.routes), "workflow")
    summary = f"Plan {plan.id} has amounts of {queues} on {clusters} and sends {routes} elsewhere"
    if output is None and not proposed:
        print(dumps(plan), end="")
    if output is not None:
        with writing(output):
            output.write_text(dumps(plan))
        summary += f": {output}"
    typer.echo(f"{summary}{'; it waits for review' if proposed else ''}.", err=True)


def _known_workflows(platform: Platform) -> dict[str, Workflow]:
    if not platform.workflows:
        raise InvalidDocument(
            "No workflow is known: name a file with --workflows, or have Archer told of them "
            "(docs/operations/plans.md)."
        )
    return dict(platform.workflows)


def _millis(text: str | None) -> int:
    moment = datetime.now(UTC)
    if text is not None:
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            raise typer.BadParameter(f"{text!r} is no time: write one such as 2026-11-25T03:00Z.") from None
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return int(moment.timestamp() * 1000)
