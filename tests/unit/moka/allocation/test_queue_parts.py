from hypothesis import given
from hypothesis import strategies as st

from moka.allocation.coincidence import coincident
from moka.allocation.queue_parts import QueueParts
from moka.quantities import MIB
from moka.queues.resources import Resources


def row(workflow, cores, applications=1, hour=2, share=99):
    place = {"cluster": "spark-a", "queue": "root.acme.etl.tier1", "hour": hour, "share": share}
    return place | {
        "workflow": workflow,
        "cpu": cores * 1000,
        "memory": cores * 1024,
        "applications": applications,
    }


def applications(rows, bounds=None):
    parts = QueueParts(rows, {}, bounds and {(row["cluster"], row["queue"]): bounds for row in rows})
    return [parts.of(one).applications for one in rows if one["workflow"] is not None]


def cores(rows, needs=None, largest=()):
    parts = QueueParts([*rows, *largest], needs or {})
    return [parts.of(one).demand.cpu for one in rows if one["workflow"] is not None]


@given(st.integers(0, 10**12), st.lists(st.integers(0, 10**12), max_size=9))
def test_parts_come_to_what_all_need_together_and_none_is_above_its_own_need(together, each):
    found = coincident(together, each)

    assert sum(found) == min(together, sum(each))
    assert all(0 <= part <= need for part, need in zip(found, each, strict=True))


def test_a_workflow_has_the_part_of_its_queue_that_it_has_of_the_sum():
    rows = [row(None, 6, 3), row("a", 8, 4), row("b", 2, 2), row("c", 2, 6)]
    parts = QueueParts(rows, {})

    assert cores(rows) == [4000, 1000, 1000]
    assert parts.of(rows[1]).demand.memory == 4 * 1024 * MIB
    assert [parts.of(one).applications for one in rows[1:]] == [1000, 500, 1500]


def test_who_runs_by_itself_or_at_the_same_time_as_others_has_all_that_it_needs():
    assert cores([row("a", 8)]) == [8000]
    assert cores([row(None, 10), row("a", 8), row("b", 2)]) == [8000, 2000]


def test_a_queue_needs_no_less_than_the_largest_slo_of_its_workflows_and_not_their_sum():
    needs = {"a": Resources(cpu=12_000, memory=0), "b": Resources(cpu=12_000, memory=0)}

    assert cores([row(None, 6), row("a", 6), row("b", 6)], needs) == [6000, 6000]
    assert cores([row(None, 20), row("a", 6), row("b", 6)], needs) == [10_000, 10_000]


def test_runs_too_short_to_count_by_themselves_have_parts_of_the_queue_by_the_most_of_each():
    rows = [row(None, 6), row("a", 1), row("b", 0)]
    largest = [row(None, 9, share=100), row("a", 4, share=100), row("b", 8, share=100)]

    assert cores(rows, largest=largest) == [2000, 4000]


def test_a_queue_that_ran_as_many_applications_as_it_may_counts_those_of_each_workflow():
    rows = [row(None, 6, 3), row("a", 8, 4), row("b", 4, 2)]

    assert applications(rows) == applications(rows, [4] * 24) == [2000, 1000]
    # In the hour that is full, and at the least.
    assert applications(rows, [None, None, 4, *[1] * 21]) == [2000, 1000]
    assert applications(rows, [None, None, 3, *[9] * 21]) == [4000, 2000]
