"""`moka usage`: what was used, by the history of it."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer

from commands.arguments import EnvironmentArgument
from commands.history_source import HistoryUnreachable
from commands.history_source import history as records_of
from commands.refusals import exit_on, writing
from commands.workflow_file import workflows_in
from moka.mistakes import InvalidDocument, near
from moka.prices import InvalidPrices, prices
from moka.usage.report.day import QUESTIONS, Day
from moka.usage.report.day import report as report_of
from moka.usage.report.metrics import as_metrics
from moka.usage.report.page import as_page
from moka.usage.report.summary import as_text
from stacks.settings import Environment, load
from stacks.usage_sizes import cluster_sizes

app = typer.Typer(no_args_is_help=True)


@app.callback()
def usage() -> None:
    """Look at what was used."""


@app.command()
def report(
    environment: EnvironmentArgument,
    day: Annotated[
        str | None,
        typer.Option(metavar="DAY", help="The day, in UTC, such as 2026-11-25; by default yesterday."),
    ] = None,
    cluster: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this cluster; may be repeated.")
    ] = None,
    workflows: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Workflows with their SLOs; without it no run is judged."),
    ] = None,
    history: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="A folder laid out as the bucket; by default the bucket."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    page: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page with pictures.")] = None,
    metrics: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the numbers as Prometheus reads them.")
    ] = None,
) -> None:
    """Report what an environment used on a day, and which workflows kept to their SLOs.

    Use by tier of the capacity that the settings have, SLOs, balance of vcores and memory, cost, and what to
    change. docs/operations/usage-report.md explains it. The bucket is read with the AWS credentials in the
    environment, with s3:ListBucket, s3:GetObject and kms:Decrypt.

    \b
    Examples:
      moka usage report prod --workflows examples/workflows/retail.yaml
      moka usage report prod --day 2026-11-25 --page usage.html
      moka usage report prod --day 2026-11-25 --cluster batch-a --history history --json

    \b
    Exit status: 0 reported, whatever it says,
    2 wrong settings or arguments, or a history that cannot be read.
    """
    from planning.history import UnreadableHistory, ask

    now = datetime.now(UTC)
    asked_day = _day(day, now)
    with exit_on(InvalidDocument, InvalidPrices, HistoryUnreachable, UnreadableHistory):
        settings = load(environment)
        about = _about(settings, cluster, asked_day, now, workflows)
        with records_of(settings, history, [asked_day]) as folder:
            answers = ask(folder, QUESTIONS, about.scope, [asked_day])
    result = report_of(about, answers)
    for file, text in ((page, as_page), (metrics, as_metrics)):
        if file:
            with writing(file):
                file.write_text(text(result))
    print(result.as_json() if as_json else as_text(result), end="\n" if as_json else "")


@app.command()
def asked(
    environment: EnvironmentArgument,
    day: Annotated[
        str | None,
        typer.Option(metavar="DAY", help="The last day, in UTC, such as 2026-11-25; by default yesterday."),
    ] = None,
    days: Annotated[int, typer.Option(min=1, max=400, metavar="N", help="Days up to that one.")] = 1,
    cluster: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this cluster; may be repeated.")
    ] = None,
    workflows: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Workflows with their SLOs; without it no run is judged."),
    ] = None,
) -> None:
    """Print what a Spark job is to ask the history about, as JSON.

    The window, clusters with what a machine of each has, and SLOs: for examples/jobs/usage-questions.yaml.

    \b
    Example:
      moka usage asked prod --day 2026-11-25 --days 30 > asked.json

    Exit status: 0 printed, 2 wrong settings or arguments.
    """
    from moka.usage.records import DAY

    now = datetime.now(UTC)
    with exit_on(InvalidDocument, InvalidPrices):
        window = _about(load(environment), cluster, _day(day, now), now, workflows).scope
    print(replace(window, began=window.ended - days * DAY).as_json(), end="")


def _about(
    settings: Environment, cluster_names: list[str] | None, day: date, now: datetime, workflows: Path | None
) -> Day:
    """A day of an environment. Raises InvalidDocument and InvalidPrices."""
    return Day(
        environment=settings.environment,
        day=day,
        made=now,
        clusters=cluster_sizes(settings, _clusters(settings, cluster_names or []), prices()),
        workflows=workflows_in(workflows) if workflows else {},
    )


def _day(text: str | None, now: datetime) -> date:
    try:
        day = date.fromisoformat(text) if text else now.date() - timedelta(days=1)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no day: write one such as 2026-11-25.") from None
    if day > now.date():
        raise typer.BadParameter(f"{day} is still to come.")
    return day


def _clusters(settings: Environment, cluster_names: list[str]) -> list[str]:
    if wrong := [name for name in cluster_names if name not in settings.clusters]:
        raise InvalidDocument(
            f"{settings.environment} has no cluster {wrong[0]!r}; {near(wrong[0], settings.clusters)}."
        )
    return cluster_names or list(settings.clusters)
