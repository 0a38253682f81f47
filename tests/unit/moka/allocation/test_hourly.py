from moka.allocation.hourly import hourly
from moka.allocation.replay.runs import Run
from moka.quantities import MIB

MIDNIGHT = 1_761_955_200_000
MINUTE = 60_000
HOUR = 60 * MINUTE
DAY = 24 * HOUR


def run(at, minutes, pods=1, workflow="daily"):
    return Run(
        workflow=workflow,
        queue="root.acme.etl.tier1",
        submitted=MIDNIGHT + at,
        pods=pods,
        cpu=4000,
        memory=1024,
        lasts=minutes * MINUTE,
    )


def demand(runs, percent):
    intervals = [interval for run in runs for interval in run.intervals("batch-a")]
    return hourly(intervals, {"daily": percent})["daily"]


def test_a_run_is_in_the_hours_in_which_it_lasts():
    found = demand([run(2 * HOUR + 30 * MINUTE, 60, pods=3)], 100)

    assert [hour for hour, amount in enumerate(found.demand) if amount.cpu] == [2, 3]
    assert found.demand[2].cpu == 12_000
    assert found.demand[2].memory == 3 * 1024 * MIB
    assert [found.applications[hour] for hour in (1, 2, 3, 4)] == [0, 1, 1, 0]


def test_it_needs_the_smallest_amount_that_covers_its_share_of_an_hour():
    # Of an hour, 30 minutes with nothing, 24 with one pod, 6 with four.
    runs = [run(HOUR, 30), run(HOUR, 6, pods=3)]

    assert [demand(runs, percent).demand[1].cpu for percent in (50, 51, 90, 91)] == [0, 4000, 4000, 16_000]


def test_days_on_which_it_does_not_run_in_an_hour_do_not_count():
    runs = [run(day * DAY + HOUR, 60, pods=2) for day in (0, 7)]

    assert demand(runs, 99).demand[1].cpu == 8000


def test_workflows_that_nobody_asked_about_are_left_out():
    intervals = list(run(0, 5, workflow="other").intervals("batch-a"))

    assert hourly(intervals, {"daily": 99}) == {}
