from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moka.allocation.cluster import Cluster, NoCapacity
from moka.allocation.curve import Step, curves
from moka.queues.resources import Resources
from moka.usage.records import Interval
from tests.unit.moka.allocation.worked import BEGAN, HOUR, MACHINE, NAME, TIER_1, intervals, worked_curves


def test_the_worked_queue_needs_what_was_worked_out():
    [curve] = [curve for curve in worked_curves() if curve.queue == TIER_1]

    assert [(step.percent, step.machines) for step in curve.steps] == [
        (50, 1000),
        (95, 2000),
        (99, 5000),
        (100, 9000),
    ]
    assert (curve.busy, curve.applications) == (100 * HOUR, 9)
    assert curve.machines == 169 * HOUR * 1000
    # 50 h with 4 cores, 45 with 2, 4 with 20 and 1 with 36.
    assert curve.cpu == (50 * 4 + 45 * 2 + 4 * 20 + 36) * HOUR * 1000


def test_the_dominant_resource_counts_and_each_resource_gets_the_most_of_what_is_covered():
    [curve] = [curve for curve in worked_curves() if curve.queue == TIER_1]

    # In the 45 hours memory takes two machines, and cores half of one; in the 50 before, cores take one.
    assert curve.covering(95) == Step(95, 2000, 4000, 32 * 1024, 0)
    assert curve.covering(51) == curve.covering(95)
    assert curve.covering(50) == Step(50, 1000, 4000, 8 * 1024, 0)
    assert curve.covering(96).cpu == 20_000


def test_only_the_window_counts():
    [curve] = [
        one
        for one in curves(
            intervals(),
            [Cluster(name=NAME, instance=MACHINE, instances=1)],
            BEGAN + 40 * HOUR,
            BEGAN + 61 * HOUR,
        )
        if one.queue == TIER_1
    ]

    # Ten hours of the first amount, one of nothing, ten of the second.
    assert [(step.percent, step.machines) for step in curve.steps] == [(50, 1000), (100, 2000)]


def test_workflows_of_a_queue_are_added_up_and_intervals_that_follow_each_other_are_one_time():
    one = intervals()[0]
    half = replace(one, workflow="a", ended=one.began + 10)
    rest = replace(half, began=half.ended, ended=half.ended + 10)
    other = replace(half, workflow="b", began=one.began + 5, ended=one.began + 20)

    [curve] = curves([rest, half, other], [Cluster(name=NAME, instance=MACHINE, instances=1)], 0, BEGAN * 2)

    assert [(step.percent, step.machines) for step in curve.steps] == [(25, 1000), (100, 2000)]
    assert (curve.busy, curve.applications) == (20, 2)


def test_gpus_count_where_a_machine_has_some():
    one = replace(intervals()[0], gpu=3)
    with_gpus = Resources.of(cpu="4", memory="16Gi", gpu=2)

    for instance, machines in ((with_gpus, 1500), (MACHINE, 1000)):
        [curve] = curves([one], [Cluster(name=NAME, instance=instance, instances=1)], 0, BEGAN * 2)
        assert curve.steps[-1][1:] == (machines, 4000, 8 * 1024, 3)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"instances": 0}, "batch-a has a capacity of 0 machines: give it at least one."),
        (
            {"instance": Resources.of(cpu="4")},
            "A machine of batch-a has no memory: say how much jobs can have",
        ),
        ({"instance": Resources.of(cpu="0", memory="1Gi")}, "A machine of batch-a has no cpu"),
    ],
)
def test_a_cluster_without_capacity_is_refused(changes, says):
    with pytest.raises(NoCapacity, match=says):
        Cluster(**{"name": NAME, "instance": MACHINE, "instances": 1, **changes})


Script = st.lists(
    st.tuples(
        st.integers(0, 30), st.integers(1, 12), st.integers(0, 9), st.integers(0, 9), st.integers(0, 2)
    ),
    min_size=1,
    max_size=8,
)


@given(Script, st.integers(0, 10), st.integers(11, 45))
def test_a_curve_is_what_counting_each_moment_comes_to(script, began, ended):
    cluster = Cluster(name=NAME, instance=Resources(cpu=3, memory=2 * 2**20, gpu=None), instances=1)
    history = [
        Interval(
            cluster=NAME,
            queue=TIER_1,
            workflow=str(number),
            began=comes,
            ended=comes + stays,
            cpu=cpu,
            memory=memory,
            gpu=0,
            applications=applications,
            allocations=1,
        )
        for number, (comes, stays, cpu, memory, applications) in enumerate(script)
    ]
    moments = []
    for moment in range(began, ended):
        there = [one for one in history if one.began <= moment < one.ended]
        cpu, memory = sum(one.cpu for one in there), sum(one.memory for one in there)
        if cpu or memory:
            moments.append((cluster.machines(cpu, memory, 0), cpu, memory))
    moments.sort()

    made = curves(history, [cluster], began, ended)

    if not moments:
        assert made == []
        return
    [curve] = made
    assert (curve.busy, curve.cpu) == (len(moments), sum(cpu for _, cpu, _ in moments))
    for percent in range(1, 101):
        # So many moments are covered by the smallest amount that covers them.
        machines = moments[-(-percent * len(moments) // 100) - 1][0]
        covered = [moment for moment in moments if moment[0] <= machines]
        step = curve.covering(percent)
        assert step.machines == machines
        assert (step.cpu, step.memory) == (max(c for _, c, _ in covered), max(m for *_, m in covered))
