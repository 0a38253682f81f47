"""Days of made-up workflows, as records."""

from collections import defaultdict
from datetime import date

import pytest

from demo import fleet, history
from moka.allocation.replay.runs import Run
from moka.allocation.replay.simulator import Outcome
from moka.usage.merge import applications as merged
from moka.usage.records import DAY, HOUR, PROFILES
from stacks.offers import offer
from stacks.settings import load

TODAY = date(2026, 11, 26)
DAYS = [date(2026, 11, 24), date(2026, 11, 25)]
MACHINES = ["r7g.4xlarge", "r6i.4xlarge"]
MIDNIGHT = history.midnight(TODAY)
QUEUE = "root.analytics.reports.tier1"


@pytest.fixture(scope="module")
def cluster():
    """What the cluster of `local` offers."""
    return offer(load("local"), "spark-a")


@pytest.fixture(scope="module")
def outcomes(cluster):
    """What became of two days of many workflows, more than a queue runs at a time."""
    return history.outcomes(cluster, fleet.habits([cluster], 1_000), DAYS)


@pytest.fixture(scope="module")
def intervals(outcomes):
    return list(history.intervals("spark-a", outcomes, MACHINES, MIDNIGHT))


def ran(began, ended, pods=2):
    """A run of a workflow with pods of a core and a GiB."""
    run = Run(workflow="w", queue=QUEUE, submitted=began, pods=pods, cpu=1000, memory=1024, lasts=1)
    return Outcome(run, began, ended, 0)


def test_the_window_is_thirty_days_up_to_yesterday():
    days = history.window(TODAY)

    assert (len(days), days[0], days[-1]) == (30, date(2026, 10, 27), date(2026, 11, 25))


def test_the_same_days_have_the_same_records(cluster, outcomes):
    again = history.outcomes(cluster, fleet.habits([cluster], 1_000), DAYS)

    assert list(history.applications("spark-a", again, MACHINES)) == list(
        history.applications("spark-a", outcomes, MACHINES)
    )


def test_runs_beside_each_other_are_one_amount_and_no_interval_goes_beyond_its_hour():
    ten = MIDNIGHT - DAY + 10 * HOUR
    made = history.intervals(
        "spark-a", [ran(ten + 1, ten + HOUR + 5), ran(ten + HOUR // 2, ten + HOUR + 9, 3)], MACHINES, MIDNIGHT
    )

    assert [(one.began - ten, one.ended - ten, one.cpu, one.applications) for one in made] == [
        (1, HOUR // 2, 2000, 1),
        (HOUR // 2, HOUR, 5000, 2),
        (HOUR, HOUR + 5, 5000, 2),
        (HOUR + 5, HOUR + 9, 3000, 1),
    ]


def test_what_still_runs_at_midnight_was_in_use_until_then_and_has_no_end():
    goes_on = ran(MIDNIGHT - HOUR, None)

    [interval] = history.intervals("spark-a", [goes_on], MACHINES, MIDNIGHT)
    [application] = history.applications("spark-a", [goes_on], MACHINES)

    assert (interval.began, interval.ended) == (MIDNIGHT - HOUR, MIDNIGHT)
    assert (application.finished, application.outcome, application.usage) == (None, "", ())


def test_the_cluster_and_its_queues_never_have_more_than_they_may(cluster, intervals):
    changes = defaultdict(int)
    for interval in intervals:
        for of in ("", interval.queue):
            changes[of, interval.began] += interval.cpu
            changes[of, interval.ended] -= interval.cpu
    most = {"": cluster.cluster.capacity.cpu, **{path: q.maximum.cpu for path, q in cluster.queues.items()}}
    used = defaultdict(int)
    for (of, _), change in sorted(changes.items(), key=lambda item: item[0][1]):
        used[of] += change
        assert used[of] <= most[of]


def test_of_a_queue_with_a_limit_of_jobs_further_ones_wait(outcomes):
    waits = defaultdict(list)
    for outcome in outcomes:
        if outcome.started is not None:
            waits[outcome.run.queue].append(outcome.started - outcome.run.submitted)

    # analytics.reports has no more than 20 of tier 2 at a time.
    assert max(waits["root.analytics.reports.tier2"]) > 20 * 60_000
    assert max(waits["root.analytics.reports.tier1"]) < 20 * 60_000


def test_no_record_is_there_twice_and_none_is_of_the_days_to_come(outcomes, intervals):
    runs = list(history.applications("spark-a", outcomes, MACHINES))

    assert len(list(merged(runs))) == len(runs) == len(outcomes)
    assert len({interval.key for interval in intervals}) == len(intervals)
    assert max(interval.ended for interval in intervals) <= MIDNIGHT
    assert {interval.instance_type for interval in intervals} == set(MACHINES)
    assert set(intervals[0].row()) == {column.name for column in PROFILES.columns}
