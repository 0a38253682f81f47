"""`moka queues`: the queues of an environment, drawn, or compared with what is in force."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from commands import archer_api
from commands.archer_api import ArcherProblem
from commands.arguments import EnvironmentArgument
from commands.plan_source import plan_in_force, plan_of
from commands.refusals import exit_on
from commands.yunikorn_api import SchedulerUnreachable, queue_differences
from moka.allocation.plan import Plan
from moka.allocation.queue_amounts import AmountsOfHour
from moka.allocation.queue_state import QueueState, state_of
from moka.queues import queues_yaml
from moka.queues.picture import as_svg, as_text
from stacks.settings import Environment, InvalidDocument, load

SCHEDULERS_VARIABLE = "MOKA_SCHEDULERS"
"""URLs of schedulers: `<cluster as AWS knows it>=<URL>`, with blanks between."""


def queues(
    environment: EnvironmentArgument,
    cluster: Annotated[str | None, typer.Option(metavar="NAME", help="Only this cluster.")] = None,
    svg: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a drawing, one for each cluster.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all amounts as JSON.")] = False,
    as_yaml: Annotated[bool, typer.Option("--yaml", help="Print queues.yaml as YuniKorn gets it.")] = False,
    at: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Show the queues as schedules set them at this time, in UTC unless it names a zone; by "
            "default with all nodes.",
        ),
    ] = None,
    in_force: Annotated[
        bool, typer.Option("--in-force", help="Compare with what the scheduler has in force.")
    ] = False,
    plan: Annotated[
        str | None,
        typer.Option(
            metavar="PLAN",
            help="Show the amounts of this plan, a file or the id of a plan in Archer; with --in-force, by "
            "default the plan in force, if the variables of `archer` are set.",
        ),
    ] = None,
    url: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help=f"The scheduler's, for --in-force; by default from {SCHEDULERS_VARIABLE}."
        ),
    ] = None,
) -> None:
    """Show YuniKorn's queues, or compare them with those in force.

    They are shown for each cluster of the environment, with the amounts that shares come to. Where a schedule
    changes how many nodes there may be, --in-force compares with those of now. What the settings leave no
    room for of a plan is said beside the queues.

    \b
    Examples:
      moka queues prod
      moka queues dev --at 2026-11-26T22:00-08:00
      moka queues prod --svg queues.svg
      moka queues prod --plan tonight.json --at 2026-11-27T02:00
      moka queues prod --cluster batch-a --in-force --url http://localhost:9080

    \b
    Exit status: 0 as it should be, 1 something else is in force,
    2 wrong settings or arguments, or a scheduler that cannot be reached.
    """
    if sum(map(bool, (svg, as_json, as_yaml, in_force))) > 1:
        raise typer.BadParameter("--svg, --json, --yaml and --in-force exclude each other.")
    if url and not in_force:
        raise typer.BadParameter("--url goes with --in-force.")
    if at and in_force:
        raise typer.BadParameter("--at and --in-force exclude each other: what is in force is that of now.")
    moment = _moment(at) if at else None
    with exit_on(InvalidDocument, SchedulerUnreachable, ArcherProblem):
        settings = load(environment)
        names = _clusters(settings, cluster, single=bool(url))
        if in_force:
            raise typer.Exit(_compare(settings, names, url, plan, datetime.now(UTC)))
        amounts = plan_of(plan) if plan else None
        states = {name: _queues(settings, name, amounts, moment) for name in names}
    trees = {name: state.tree for name, state in states.items()}
    for sentence in _differences_from(amounts, states) if amounts else ():
        typer.echo(sentence, err=True)
    if as_json:
        print(json.dumps({name: asdict(tree) for name, tree in trees.items()}, indent=2))
    elif as_yaml:
        print("---\n".join(queues_yaml(tree) for tree in trees.values()), end="")
    elif svg:
        for name, tree in trees.items():
            path = svg if len(trees) == 1 else svg.with_stem(f"{svg.stem}-{name}")
            path.write_text(as_svg(tree, _title(settings, name, moment), settings.capacity(name, moment)))
            print(path)
    else:
        texts = (
            as_text(tree, _title(settings, name, moment), settings.capacity(name, moment))
            + "".join(_schedule_lines(settings, name, moment))
            for name, tree in trees.items()
        )
        print("\n".join(texts), end="")


def _queues(settings: Environment, cluster: str, plan: Plan | None, moment: datetime | None) -> QueueState:
    """The queues at a time with what a plan has for its hour; without a time, with all nodes, at 0:00.

    Raises InvalidDocument.
    """
    cluster_settings = settings.cluster_settings(cluster)
    changes = cluster_settings.calendar.changes(moment) if moment else {}
    hour = moment.astimezone(UTC).hour if moment else 0
    amounts = plan.at(cluster, hour) if plan else AmountsOfHour()
    return state_of(cluster_settings, amounts, cluster_settings.calendar.nodes(changes))


def _differences_from(plan: Plan, states: Mapping[str, QueueState]) -> Iterator[str]:
    """Where queues are not as a plan has them, a sentence each."""
    for cluster, state in states.items():
        if cluster not in plan.clusters:
            yield f"{cluster}: plan {plan.id} has nothing for it; its queues are those of the settings."
        for sentence in state.left_out:
            yield f"{cluster}: the plan: {sentence}"


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is no time: write one such as 2026-11-26T03:00 or 2026-11-26T03:00-05:00."
        ) from None
    return moment.replace(tzinfo=moment.tzinfo or UTC)


def _schedule_lines(settings: Environment, cluster: str, moment: datetime | None) -> Iterator[str]:
    """A line for each change of a schedule that holds at a time, by default now, where there are any."""
    calendar = settings.queue_calendar(cluster)
    for name, change in calendar.changes(moment or datetime.now(UTC)).items():
        group = calendar.node_groups[name]
        sentence = f"{change} of {name} holds, {group.changes[change].maximum} of {group.maximum} nodes"
        yield f"Then {sentence}.\n" if moment else f"Now {sentence}; --at shows the queues of a time.\n"


def _clusters(settings: Environment, cluster: str | None, *, single: bool) -> list[str]:
    names = ", ".join(settings.clusters)
    if cluster is not None and cluster not in settings.clusters:
        raise InvalidDocument(
            f"{settings.environment} has no cluster {cluster!r}; --cluster is one of {names}."
        )
    if cluster is None and single and len(settings.clusters) > 1:
        raise InvalidDocument(f"A URL is that of one cluster's scheduler: add --cluster, one of {names}.")
    return [cluster] if cluster is not None else list(settings.clusters)


def _title(settings: Environment, cluster: str, moment: datetime | None) -> str:
    time = f", at {moment.isoformat(' ', 'minutes')}" if moment else ""
    return f"Queues of {settings.environment}, cluster {cluster}{time}"


def _compare(
    settings: Environment, clusters: Iterable[str], url: str | None, plan: str | None, now: datetime
) -> int:
    """Print what differs, cluster by cluster; exit status.

    plan: the name of one; None for the plan in force, where Archer is named that has it.
    """
    asks_archer = plan is None and archer_api.is_configured()
    amounts = plan_of(plan) if plan else plan_in_force()[1] if asks_archer else None
    right = f"as the settings and plan {amounts.id} say" if amounts else "as the settings say"
    status = 0
    for cluster in clusters:
        queues_now = _queues(settings, cluster, amounts, now)
        differences = queue_differences(queues_now.tree, url or _scheduler_url(settings, cluster))
        number = f"{len(differences)} difference{'s' if len(differences) > 1 else ''}"
        print(f"{cluster}: {number if differences else right}")
        for difference in differences:
            print(f"  {difference}")
            status = 1
        for sentence in queues_now.left_out:
            print(f"  The plan: {sentence}")
    if status and not plan and not asks_archer:
        print("A plan may be in force: set the variables of `archer`, or give --plan.")
    return status


def _scheduler_url(settings: Environment, cluster: str) -> str:
    urls = dict(pair.split("=", 1) for pair in os.environ.get(SCHEDULERS_VARIABLE, "").split())
    name = settings.eks_name(cluster)
    if name not in urls:
        raise SchedulerUnreachable(
            f"No URL known for the scheduler of {name}: forward its port 9080, then give the URL, as in "
            f"--cluster {cluster} --in-force --url http://localhost:9080."
        )
    return urls[name]
