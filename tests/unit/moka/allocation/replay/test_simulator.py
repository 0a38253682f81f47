"""Replays whose course was worked out by hand: a cluster of ten machines of 4 cores and 16 GiB."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moka.allocation.fleet import HOURS, Amounts, QueueHours
from moka.allocation.replay.runs import Run
from moka.allocation.replay.simulator import replay
from moka.allocation.replay.slo import kept_by_tier, workflow_replays
from moka.queues.resources import Resources
from tests.support.small_fleets import cluster, machines

SECOND = 1000
HOUR = 3600 * SECOND
MIDNIGHT = 1_761_955_200_000
ORDERS, ADHOC_2, ADHOC_3, REPORTS = (
    "root.acme.orders.tier1",
    "root.acme.adhoc.tier2",
    "root.acme.adhoc.tier3",
    "root.beta.reports.tier3",
)


def run(queue, at, pods, lasts, workflow="daily", **given):
    """at, lasts: seconds. A pod takes a machine."""
    return Run(
        **{
            "workflow": workflow,
            "queue": queue,
            "submitted": MIDNIGHT + at * SECOND,
            "pods": pods,
            "cpu": 4000,
            "memory": 16 * 1024,
            "lasts": lasts * SECOND,
            **given,
        }
    )


def queue(path, guaranteed=0, applications=100, maximum=None):
    amounts = Amounts(
        guaranteed=machines(guaranteed) if guaranteed else Resources(),
        maximum=None if maximum is None else machines(maximum),
        max_applications=applications,
    )
    return QueueHours(cluster="batch-a", queue=path, hours=(amounts,) * HOURS)


def played(runs, queues=(), hours=24, there=None):
    """Seconds from midnight at which runs started and finished, and pods that they lost."""
    outcomes = replay(there or cluster("batch-a"), queues, runs, until=MIDNIGHT + hours * HOUR)
    return [(seconds(outcome.started), seconds(outcome.finished), outcome.lost) for outcome in outcomes]


def seconds(at):
    return None if at is None else (at - MIDNIGHT) / SECOND


def test_a_run_waits_until_all_of_its_pods_have_a_place():
    assert played([run(ORDERS, 0, 7, 100), run(ORDERS, 10, 5, 50)]) == [(0, 100, 0), (100, 150, 0)]


def test_one_that_is_smaller_goes_before_one_that_does_not_fit():
    runs = [run(ORDERS, 0, 7, 100), run(ORDERS, 10, 1, 60, cpu=20_000), run(ORDERS, 20, 2, 30)]

    assert played(runs) == [(0, 100, 0), (100, 160, 0), (20, 50, 0)]


def test_tier_1_goes_first_then_tier_2_whoever_came_first():
    runs = [
        run(ORDERS, 0, 10, 100),
        run(ADHOC_3, 1, 10, 10),
        run(ADHOC_2, 2, 10, 10),
        run(ORDERS, 3, 10, 10),
    ]

    assert [started for started, _, _ in played(runs)] == [0, 120, 110, 100]


def test_organizations_of_one_tier_share_a_cluster_evenly():
    runs = [run(ORDERS, 0, 10, 100), run(ADHOC_3, 1, 8, 50), run(REPORTS, 2, 8, 50)]

    # Five pods each: neither has all, and after a quarter of an hour both begin with what they have.
    assert played(runs) == [(0, 100, 0), (1000, 1080, 0), (1000, 1080, 0)]


def test_no_more_applications_run_than_a_queue_may_have():
    runs = [run(REPORTS, at, 1, 100) for at in range(3)]

    assert [started for started, _, _ in played(runs, [queue(REPORTS, applications=2)])] == [0, 1, 100]


def test_a_queue_has_no_more_than_its_maximum():
    runs = [run(REPORTS, at, 2, 100) for at in range(3)]

    assert [started for started, _, _ in played(runs, [queue(REPORTS, maximum=4)])] == [0, 1, 100]


def test_tier_1_gets_what_it_is_guaranteed_after_five_seconds():
    runs = [run(ADHOC_3, 0, 10, 100), run(ORDERS, 10, 4, 50)]

    # From 15 on six pods do the work of ten: 850 of 1000 are left. At 65 it has four again, and 550 to do.
    assert played(runs, [queue(ORDERS, guaranteed=4)]) == [(0, 120, 4), (15, 65, 0)]


def test_nobody_is_pushed_below_what_it_is_guaranteed():
    runs = [run(ADHOC_3, 0, 10, 100), run(ORDERS, 10, 4, 50)]

    (_, _, lost), (started, _, _) = played(runs, [queue(ORDERS, guaranteed=4), queue(ADHOC_3, guaranteed=8)])

    # It gets two, and begins when the other has done its 850 pod-seconds with eight.
    assert (lost, started) == (2, 121.25)


def test_nothing_of_tier_1_is_preempted():
    runs = [run(ORDERS, 0, 10, 100), run("root.beta.billing.tier1", 10, 4, 50)]

    assert played(runs, [queue("root.beta.billing.tier1", guaranteed=4)]) == [(0, 100, 0), (100, 150, 0)]


def test_a_lower_tier_takes_nothing_back_from_a_higher_one():
    runs = [run(ADHOC_2, 0, 10, 100), run(REPORTS, 10, 4, 50)]

    assert played(runs, [queue(REPORTS, guaranteed=4)]) == [(0, 100, 0), (100, 150, 0)]


def test_the_pods_that_were_placed_last_go_first_and_of_a_run_its_last_pod_after_all_others():
    runs = [
        run(ADHOC_3, 0, 5, 100),
        run(ADHOC_3, 1, 1, 100),
        run(ADHOC_3, 2, 4, 100),
        run(ORDERS, 10, 5, 50),
    ]

    lost = [lost for _, _, lost in played(runs, [queue(ORDERS, guaranteed=5)])]

    assert lost == [2, 0, 3, 0]


def test_one_that_lost_every_pod_starts_from_its_beginning():
    runs = [run(ADHOC_3, 0, 1, 100, cpu=40_000), run(ORDERS, 10, 4, 50)]

    assert played(runs, [queue(ORDERS, guaranteed=4)]) == [(0, 165, 1), (15, 65, 0)]


def test_amounts_are_those_of_the_hour():
    hours = [queue(REPORTS, applications=1).hours[0]] * HOURS
    hours[1] = queue(REPORTS, applications=2).hours[0]
    runs = [run(REPORTS, at, 1, 7200) for at in range(2)]

    assert [started for started, _, _ in played(runs, [replace(queue(REPORTS), hours=tuple(hours))])] == [
        0,
        3600,
    ]


def test_machines_are_those_of_the_hour():
    there = cluster("batch-a", machines=(5, *[10] * 23))

    assert played([run(ORDERS, 0, 6, 100)], there=there)[0][0] == 900
    assert played([run(ORDERS, 3000, 6, 100)], there=there)[0][0] == 3600


def test_what_goes_on_at_the_end_has_none():
    # The second never has all of its pods, and begins with nine of its eighteen after a quarter of an hour.
    assert played([run(ORDERS, 0, 1, 7200), run(ORDERS, 1, 18, 10)], hours=1) == [
        (0, None, 0),
        (901, 921, 0),
    ]


def test_a_workflow_keeps_its_slo_when_nine_tenths_of_its_runs_are_in_time():
    runs = [
        run(ORDERS, at * 1000, 1, 3700 if at < late else 3500, workflow=name)
        for name, late in (("good", 1), ("bad", 2))
        for at in range(10)
    ]
    outcomes = replay(cluster("batch-a"), [], runs, until=MIDNIGHT + 24 * HOUR)

    replays = workflow_replays(outcomes, {"good": 1, "bad": 1, "other": None}, {"good": 1, "bad": 1})

    assert [(one.workflow, one.in_time, one.runs, one.meets_slo) for one in replays] == [
        ("bad", 8, 10, False),
        ("good", 9, 10, True),
    ]
    assert kept_by_tier(replays) == {1: (1, 2)}


@pytest.mark.parametrize("guaranteed", [0, 4])
@given(
    st.lists(
        st.tuples(
            st.sampled_from([ORDERS, ADHOC_2, ADHOC_3, REPORTS]),
            st.integers(0, 500),
            st.integers(1, 10),
            st.integers(1, 300),
        ),
        max_size=20,
    )
)
def test_everything_that_fits_ends_and_takes_no_less_than_it_takes_by_itself(guaranteed, given):
    runs = [run(*one) for one in given]
    queues = [queue(ORDERS, guaranteed=guaranteed), queue(ADHOC_2, guaranteed=guaranteed)]

    outcomes = replay(cluster("batch-a"), queues, runs, until=MIDNIGHT + 24 * HOUR)

    assert sorted(outcome.run.submitted for outcome in outcomes) == sorted(one.submitted for one in runs)
    for outcome in outcomes:
        assert (
            outcome.finished
            >= outcome.started + outcome.run.lasts
            >= outcome.run.submitted + outcome.run.lasts
        )
