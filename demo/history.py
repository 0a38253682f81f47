"""Days of workflows that are made up, as the recorder would have written them down.

When a run gets its pods follows from the others: a cluster's days are replayed with the queues of its
settings (moka/allocation/replay).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from itertools import pairwise
from random import Random

from demo.fleet import SEED
from moka.allocation.fleet import HOURS, Amounts, QueueHours
from moka.allocation.offer import Offer
from moka.allocation.replay.queue_state import ENDLESS
from moka.allocation.replay.runs import Run
from moka.allocation.replay.simulator import Outcome, replay
from moka.quantities import MIB
from moka.queues.resources import Resources
from moka.usage.places import day_of
from moka.usage.queue_names import queue_names
from moka.usage.records import HOUR, Application, Interval, Usage
from planning.example_history import Habit

DAYS = 30
FAILED = 0.02
"""Of the runs."""

USERS = 20
"""Of a project."""


def window(today: date) -> list[date]:
    """The days before today."""
    return [today - timedelta(days=DAYS - number) for number in range(DAYS)]


def outcomes(offer: Offer, habits: Iterable[Habit], days: Sequence[date]) -> list[Outcome]:
    """What became of the runs of days on their cluster, up to the last midnight."""
    return replay(
        offer.fleet_cluster(days[-1]),
        _queues(offer),
        [
            run
            for day in days
            for habit in habits
            if habit.home == offer.name
            for run in habit.runs(midnight(day), Random(f"{SEED} {day} {habit.name}"))
        ],
        until=midnight(days[-1] + timedelta(days=1)),
    )


def midnight(day: date) -> int:
    """When a day begins in UTC, in milliseconds since 1970."""
    return int(datetime.combine(day, time(), UTC).timestamp()) * 1000


def applications(cluster: str, outcomes: Iterable[Outcome], machines: Sequence[str]) -> Iterator[Application]:
    """What the recorder writes of each run. machines: types that the cluster has."""
    numbers: dict[tuple[str, date], int] = defaultdict(int)
    for run, started, finished, _ in outcomes:
        day = day_of(run.submitted)
        numbers[run.workflow, day] += 1
        name = f"{run.workflow}-{day:%Y%m%d}-{numbers[run.workflow, day]}"
        names = queue_names(run.queue)
        failed = Random(f"{SEED} {name}").random() < FAILED
        yield Application(
            cluster=cluster,
            application=name,
            submitted=run.submitted,
            started=started,
            finished=finished,
            user_name=_choice(run.workflow, [f"{names.project}-{user}" for user in range(USERS)]),
            workflow=run.workflow,
            queue=run.queue,
            organization=names.organization,
            project=names.project,
            tier=names.tier,
            namespace=names.project,
            usage=_usage(run, started, finished, _choice(run.workflow, machines)),
            outcome="" if finished is None else "failed" if failed else "succeeded",
            sources=("archer", "summary"),
        )


def intervals(
    cluster: str, outcomes: Iterable[Outcome], machines: Sequence[str], until: int
) -> Iterator[Interval]:
    """What the recorder writes of what was in use. until: when what still runs was last looked at."""
    by_workflow: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.started is not None:
            by_workflow[outcome.run.workflow].append(outcome)
    for workflow, own_outcomes in by_workflow.items():
        yield from _of_workflow(cluster, workflow, own_outcomes, _choice(workflow, machines), until)


def _choice(workflow: str, among: Sequence[str]) -> str:
    """Of user names, or types of machine, the one that a workflow has."""
    return among[int(_part(workflow) * len(among))]


@cache
def _part(workflow: str) -> float:
    """A number from 0 to 1 that a workflow has."""
    return Random(f"{SEED} {workflow}").random()


def _of_workflow(
    cluster: str, workflow: str, outcomes: Sequence[Outcome], machine: str, until: int
) -> Iterator[Interval]:
    """A row for each time with one amount, within a full hour."""
    changes: dict[int, list[tuple[Run, int]]] = defaultdict(list)
    for run, started, finished, _ in outcomes:
        if started is not None:
            ended = until if finished is None else finished
            changes[started].append((run, 1))
            changes[ended].append((run, -1))
            for hour in range(started // HOUR + 1, -(-ended // HOUR)):
                changes[hour * HOUR].extend(())
    cpu = memory = runs = pods = 0
    for began, ended in pairwise(sorted(changes)):
        for run, sign in changes[began]:
            runs += sign
            pods += sign * run.pods
            cpu += sign * run.pods * run.cpu
            memory += sign * run.pods * run.memory
        if runs:
            yield Interval(
                cluster=cluster,
                queue=outcomes[0].run.queue,
                workflow=workflow,
                instance_type=machine,
                began=began,
                ended=ended,
                cpu=cpu,
                memory=memory,
                gpu=0,
                applications=runs,
                allocations=pods,
            )


def _usage(run: Run, started: int | None, finished: int | None, machine: str) -> tuple[Usage, ...]:
    if started is None or finished is None:
        return ()
    seconds = (finished - started) // 1000
    return (
        Usage(
            kind="used",
            instance_type=machine,
            cpu=run.pods * run.cpu * seconds,
            memory=run.pods * run.memory * MIB * seconds,
        ),
    )


def _queues(offer: Offer) -> list[QueueHours]:
    """What the settings have of the cluster's queues."""
    return [
        QueueHours(
            cluster=offer.name,
            queue=path,
            hours=(
                Amounts(
                    guaranteed=queue.guaranteed or Resources(),
                    maximum=queue.maximum,
                    max_applications=queue.max_applications or ENDLESS,
                ),
            )
            * HOURS,
        )
        for path, queue in offer.queues.items()
    ]
