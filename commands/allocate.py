"""`moka allocate`: makes a plan of what was used."""

import os
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

import typer

from commands.arguments import EnvironmentArgument
from commands.history import HistoryUnreachable, history
from moka.mistakes import InvalidDocument
from moka.workflows.definitions import Workflow, loads
from stacks.offers import offer
from stacks.settings import load


def allocate(
    environment: EnvironmentArgument,
    workflows: Annotated[
        Path,
        typer.Option(metavar="FILE", help="Workflows with tier, SLO, project and home (moka-workflows/1)."),
    ],
    engine: Annotated[
        Literal["cp-sat", "percentile"],
        typer.Option(help="All clusters at once, or each by itself with nothing moved."),
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
            metavar="TIME", help="The history before the midnight before it counts; by default now."
        ),
    ] = None,
    days: Annotated[int, typer.Option(min=1, max=400, metavar="N", help="Days of history.")] = 30,
    seed: Annotated[int, typer.Option(metavar="N", help="With the same, the same plan is found.")] = 1,
    seconds: Annotated[
        float, typer.Option(min=1, metavar="S", help="At most that the search takes, by the clock.")
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
) -> None:
    """Make a plan of what an environment used: what queues get by the hour, and where workflows run.

    The plan is a document, moka-plan/1, and changes nothing: `moka plan show` draws it, and `moka plan apply`
    has it take effect. docs/allocation.md explains how it is found. The bucket is read with the AWS
    credentials in the environment, with s3:ListBucket, s3:GetObject and kms:Decrypt.

    \b
    Examples:
      moka allocate prod --workflows examples/workflows/retail.yaml --output plan.json
      moka allocate prod --workflows examples/workflows/retail.yaml --engine percentile --days 7
      moka allocate prod --workflows examples/workflows/retail.yaml --history history --moves 0

    \b
    Exit status: 0 a plan was made,
    2 wrong settings or arguments, or a history of which nothing can be made.
    """
    from moka.allocation.fleet import InvalidFleet
    from moka.allocation.plan import dumps
    from moka.allocation.rules import Rules
    from planning.history import UnreadableHistory
    from planning.planner import NothingKnown, Request, plan
    from planning.solver import Options

    try:
        settings = load(environment)
        request = Request(
            offers=[offer(settings, name) for name in settings.clusters],
            workflows=_workflows(workflows),
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
                lambda says: typer.echo(f"{time.monotonic() - began:5.1f} s  {says}", err=True),
            )
    except (InvalidDocument, HistoryUnreachable, UnreadableHistory, NothingKnown, InvalidFleet) as error:
        typer.echo(error, err=True)
        raise typer.Exit(2) from None
    if output is None:
        print(dumps(result), end="")
        return
    try:
        output.write_text(dumps(result))
    except OSError as error:
        typer.echo(f"{output} cannot be written ({error.strerror}): name another file.", err=True)
        raise typer.Exit(2) from None
    queues = sum(len(cluster.queues) for cluster in result.clusters.values())
    typer.echo(
        f"Plan {result.id} has amounts of {queues} queues on {len(result.clusters)} clusters and sends "
        f"{len(result.routes)} workflows elsewhere: {output}.",
        err=True,
    )


def _workflows(file: Path) -> dict[str, Workflow]:
    try:
        return dict(loads(file.read_bytes(), str(file)).workflows)
    except OSError as error:
        raise InvalidDocument(f"{file} cannot be read ({error.strerror}): name another file.") from None


def _millis(text: str | None) -> int:
    moment = datetime.now(UTC)
    if text is not None:
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            raise typer.BadParameter(f"{text!r} is no time: write one such as 2026-11-25T03:00Z.") from None
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return int(moment.timestamp() * 1000)
