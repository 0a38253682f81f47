import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moka.usage import merge
from moka.usage.events import Amount, Event, event
from moka.usage.profiles import NANOS, InvalidState, Profiler
from moka.usage.records import HOUR
from tests.unit.moka.usage.recordings import CLUSTER, document

QUEUE = "root.acme.etl.tier1"
BEGAN = 1_764_064_800_000
"""A full hour."""


def workflow_of(application):
    return application.rpartition("-")[0]


TYPES = {"arm-1": "m7g.4xlarge", "intel-1": "m7i.4xlarge", "node-0": "small", "node-1": "large"}


def instance_type_of(node):
    return TYPES.get(node, "")


def profiler():
    return Profiler(CLUSTER, workflow_of, instance_type_of)


def taken_of(events):
    made = profiler()
    for change in events:
        made.change(change)
    return made.take()


def at(milliseconds):
    return (BEGAN + milliseconds) * NANOS


def arrival(time, application="daily-1", queue=QUEUE):
    return Event("application", at(time), application, queue=queue)


def added(time, allocation, cpu=1000, memory=2048, application="daily-1"):
    return Event("allocation", at(time), application, allocation=allocation, amount=Amount(cpu, memory, 0))


def gone(time, allocation, application="daily-1"):
    return Event("allocation gone", at(time), application, allocation=allocation)


def area(intervals):
    """What was in use times how long, by queue and workflow: cores, memory, allocations, applications."""
    areas = {}
    for interval in intervals:
        amounts = (interval.cpu, interval.memory, interval.allocations, interval.applications)
        known = areas.get((interval.queue, interval.workflow), (0,) * 4)
        areas[interval.queue, interval.workflow] = tuple(
            total + amount * (interval.ended - interval.began)
            for total, amount in zip(known, amounts, strict=True)
        )
    return {key: values for key, values in areas.items() if any(values)}


def spans(intervals):
    return [
        (interval.began - BEGAN, interval.ended - BEGAN, interval.cpu, interval.allocations)
        for interval in intervals
    ]


def test_a_change_of_what_is_in_use_ends_an_interval():
    intervals, gaps, says, _ = taken_of(
        [arrival(0), added(10, "a"), added(30, "b", cpu=500), gone(70, "a"), gone(75, "b")]
    )

    assert spans(intervals) == [(10, 30, 1000, 1), (30, 70, 1500, 2), (70, 75, 500, 1)]
    assert {(interval.queue, interval.workflow, interval.applications) for interval in intervals} == {
        (QUEUE, "daily", 1)
    }
    assert (gaps, says) == ([], [])


def test_applications_of_a_workflow_are_one_amount_and_those_of_others_are_another():
    intervals = taken_of(
        [
            arrival(0),
            arrival(0, "daily-2"),
            arrival(0, "hourly-1"),
            added(0, "a"),
            added(10, "b", application="daily-2"),
            added(10, "c", application="hourly-1"),
            gone(20, "a"),
            gone(40, "b", application="daily-2"),
            gone(40, "c", application="hourly-1"),
        ]
    ).intervals

    by_workflow = {}
    for interval in intervals:
        by_workflow.setdefault(interval.workflow, []).append(
            (interval.began - BEGAN, interval.ended - BEGAN, interval.applications)
        )
    assert by_workflow == {"daily": [(0, 10, 1), (10, 20, 2), (20, 40, 1)], "hourly": [(10, 40, 1)]}


def test_intervals_are_cut_at_full_hours_whenever_they_are_asked_for():
    follower = profiler()
    follower.change(arrival(0))
    follower.change(added(HOUR // 2, "a"))
    follower.advance(BEGAN + 2 * HOUR + 1)
    early = follower.take().intervals
    follower.change(gone(3 * HOUR + 5, "a"))

    cut = [
        (HOUR // 2, HOUR, 1000, 1),
        (HOUR, 2 * HOUR, 1000, 1),
        (2 * HOUR, 3 * HOUR, 1000, 1),
        (3 * HOUR, 3 * HOUR + 5, 1000, 1),
    ]
    assert spans(early) == cut[:2]
    assert spans(early + follower.take().intervals) == cut
    assert spans(taken_of([arrival(0), added(HOUR // 2, "a"), gone(3 * HOUR + 5, "a")]).intervals) == cut


def test_what_is_lost_after_a_full_hour_was_given_out_is_lost_from_that_hour_on():
    """A quiet cluster: nothing was told since long before its scheduler started anew."""
    follower = profiler()
    follower.change(arrival(0))
    follower.change(added(HOUR // 2, "a"))

    follower.advance(BEGAN + 2 * HOUR + 1)
    follower.lose("its scheduler started anew")
    follower.seed([], next_id=9, at=BEGAN + 2 * HOUR + HOUR // 3)

    batch = follower.take()
    assert spans(batch.intervals)[-1][1] == 2 * HOUR
    [gap] = batch.gaps
    assert (gap.began - BEGAN, gap.ended - BEGAN) == (2 * HOUR, 2 * HOUR + HOUR // 3)


def test_what_is_told_twice_is_counted_once():
    events = [arrival(0), added(10, "a"), added(20, "b"), gone(30, "a"), gone(40, "b")]
    twice = [change for change in events for _ in range(2)]

    assert taken_of(twice) == taken_of(events)


def test_an_allocation_whose_end_was_dropped_ends_with_its_application_and_that_is_told():
    lost = [arrival(0), added(10, "a"), added(10, "b"), gone(20, "a")]
    end = Event("application gone", at(50), "daily-1", queue=QUEUE)

    intervals, _, says, _ = taken_of([*lost, end, added(60, "c", application="daily-1")])

    assert spans(intervals) == [(10, 20, 2000, 2), (20, 50, 1000, 1)]
    assert says == [
        "spark-a: daily-1 is gone, but the end of 1 of its allocations was never told: they are taken to "
        "have ended with it.",
        "spark-a: daily-1 has an allocation, but no queue was told of it.",
    ]


def test_a_clock_that_goes_back_is_told_and_counts_nothing_twice():
    intervals, gaps, _, _ = taken_of(
        [arrival(0), added(10, "a"), added(100_000, "b"), gone(20_000, "a"), gone(150_000, "b")]
    )

    assert spans(intervals) == [(10, 100_000, 1000, 1), (100_000, 150_000, 1000, 1)]
    [gap] = gaps
    assert (gap.began, gap.ended) == (BEGAN + 100_000, BEGAN + 100_000)
    assert gap.says == "The scheduler's clock went back by 80 s: until it has made up, no time passes."


# What a real YuniKorn said.


def test_real_events_come_to_what_the_summaries_of_the_same_run_say():
    follower = profiler()
    follower.batch(document("events"))

    areas = area(follower.take().intervals)

    # Summaries count whole seconds of each pod, and these milliseconds.
    seconds = {workflow: cpu / 1000 for (_, workflow), (cpu, *_) in areas.items()}
    assert 84_000 <= seconds["daily"] < 84_000 + 7_000
    assert 22_500 <= seconds["hourly"] < 22_500 + 1_500
    assert follower.running_allocations == 3
    assert follower.next_id == document("events")["HighestID"] + 1


def test_the_type_of_a_machine_is_known_of_what_replaced_a_placeholder_too():
    before, after = profiler(), profiler()
    before.batch(document("events"))
    restarted = document("events-of-a-restart")
    ended = next(i for i, one in enumerate(restarted["EventRecords"]) if one.get("eventChangeDetail") == 500)
    after.batch({**restarted, "EventRecords": restarted["EventRecords"][:ended]})

    # A scheduler that starts anew tells the node of each pod; before that none told those of replacements.
    before_restart, after_restart = (one.state()["applications"]["gang-1"][4] for one in (before, after))
    assert len(before_restart) == 3
    assert before_restart.items() <= after_restart.items()
    assert {instance_type for _, instance_type in before_restart.values()} == {"m7g.4xlarge", "m7i.4xlarge"}


def test_amounts_are_by_type_of_machine_and_an_application_counts_once():
    def on(time, allocation, node):
        return Event("node", at(time), allocation=allocation, node=node)

    intervals = taken_of(
        [
            arrival(0),
            *(on(0, "a", "arm-1"), added(0, "a")),
            *(on(10, "b", "intel-1"), added(10, "b", cpu=500)),
            gone(20, "a"),
            gone(30, "b"),
        ]
    ).intervals

    amounts = [
        (
            interval.instance_type,
            interval.began - BEGAN,
            interval.ended - BEGAN,
            interval.cpu,
            interval.applications,
        )
        for interval in intervals
    ]
    assert sorted(amounts) == [
        ("m7g.4xlarge", 0, 20, 1000, 1),
        # It counts where its first pod was, as long as it has any.
        ("m7g.4xlarge", 20, 30, 0, 1),
        ("m7i.4xlarge", 10, 30, 500, 0),
    ]


def test_nodes_of_what_never_comes_are_forgotten(monkeypatch):
    monkeypatch.setattr("moka.usage.profiles.PENDING", 2)
    follower = profiler()
    for name in ("a", "b", "c"):
        follower.change(Event("node", at(0), allocation=name, node="arm-1"))

    assert list(follower.state()["nodes"]) == ["b", "c"]


def test_a_restart_of_the_real_scheduler_is_a_gap_after_which_everything_is_known_again():
    before, after = document("events"), document("events-of-a-restart")
    follower = profiler()
    follower.batch(before)
    follower.take()

    follower.batch({**after, "EventRecords": []})
    assert follower.next_id == 0
    follower.batch(after)

    intervals, [gap], says, _ = follower.take()
    last, first = (
        record["timestampNano"] // NANOS
        for record in (
            [record for record in before["EventRecords"] if event(record)][-1],
            next(record for record in after["EventRecords"] if event(record)),
        )
    )
    assert (gap.began, gap.ended, gap.says) == (last, first, "The scheduler started anew.")
    assert all(interval.ended <= gap.began or interval.began >= gap.ended for interval in intervals)
    assert (follower.running_allocations, says) == (0, [])


def test_what_the_real_scheduler_runs_is_what_its_events_told():
    seeded, followed = profiler(), profiler()
    active = document("active")
    held = {allocation["allocationKey"] for one in active for allocation in one.get("allocations", ())}
    events = [change for record in document("events")["EventRecords"] if (change := event(record))]
    until = max(
        index for index, one in enumerate(events) if one.allocation in held and one.what == "allocation"
    )
    for change in events[: until + 1]:
        followed.change(change)

    seeded.seed(active, next_id=0, at=events[until].at // NANOS)

    # Of each: queue, workflow, and its allocations with the types of their machines.
    by_list, by_events = (
        {name: (one[0], one[1], one[4]) for name, one in profiler.state()["applications"].items()}
        for profiler in (seeded, followed)
    )
    assert by_list == by_events
    assert seeded.running_allocations == len(held)


def test_an_event_that_cannot_be_read_is_told_and_the_next_one_is_read():
    answer = document("events")
    broken = {"type": 2, "eventChangeType": 2, "eventChangeDetail": 200, "objectID": "daily-1"}
    answer["EventRecords"][20:20] = [broken]
    follower = profiler()

    follower.batch(answer)

    assert follower.take().says == [
        "spark-a: event 20 is no event of YuniKorn's: KeyError at 'timestampNano'."
    ]
    assert follower.running_allocations == 3


def test_what_an_answer_has_beyond_its_count_is_of_other_ids(monkeypatch):
    monkeypatch.setattr("moka.usage.profiles.ANSWER", 40)
    follower = profiler()
    follower.batch(document("events"))

    assert follower.next_id == 40


def test_a_workflow_is_asked_for_with_the_first_allocation():
    """Before, nobody can know of which an application is: YuniKorn tells it with its pods."""
    known = {}
    follower = Profiler(CLUSTER, lambda name: known.get(name, ""))
    follower.change(arrival(0))
    follower = Profiler.resumed(json.loads(json.dumps(follower.state())), lambda name: known.get(name, ""))
    known["daily-1"] = "daily"
    follower.change(added(10, "a"))
    follower.change(gone(20, "a"))

    assert [interval.workflow for interval in follower.take().intervals] == ["daily"]


def test_what_the_ring_lost_is_a_gap_until_what_runs_is_known():
    answer = document("events")
    follower = profiler()
    follower.batch({**answer, "EventRecords": answer["EventRecords"][:40]})
    assert follower.running_allocations

    follower.batch({**answer, "LowestID": 60, "EventRecords": []})
    assert (follower.needs_seed, follower.next_id, follower.running_allocations) == (True, 60, 0)
    # What is told meanwhile says nothing of what runs.
    follower.batch({**answer, "LowestID": 60, "EventRecords": answer["EventRecords"][60:70]})
    last = max(interval.ended for interval in follower.take().intervals)
    follower.seed(document("active"), next_id=97, at=last + 9_000)

    [gap] = follower.take().gaps
    assert (gap.began, gap.ended) == (last, last + 9_000)
    assert gap.says == "20 events were overwritten before they were read."
    assert (follower.next_id, follower.running_allocations, follower.needs_seed) == (97, 8, False)


# Whatever happens.

Script = st.lists(
    st.tuples(
        st.integers(0, 2 * HOUR),  # comes
        st.integers(1, 2 * HOUR),  # stays
        st.sampled_from(
            [("daily-1", QUEUE), ("daily-2", QUEUE), ("x-1", "root.acme.ml.tier3"), ("y-1", QUEUE)]
        ),
        st.integers(1, 8000),
        st.integers(1, 10_000),
    ),
    max_size=25,
)


def script_events(script):
    """The events of allocations that come and stay, in order of time, as documents with ids from 0."""
    records = [
        {"type": 4, "eventChangeType": 2, "eventChangeDetail": 405, "timestampNano": at(0)}
        | {"objectID": queue, "referenceID": name}
        for name, queue in sorted({owner for _, _, owner, _, _ in script})
    ]
    for number, (comes, stays, (name, _), cpu, memory) in enumerate(script):
        resources = {"resources": {"vcore": {"value": cpu}, "memory": {"value": memory << 20}}}
        records.append(
            {"type": 3, "eventChangeType": 2, "eventChangeDetail": 303, "timestampNano": at(comes)}
            | {"objectID": f"node-{number % 3}", "referenceID": f"pod-{number}"}
        )
        for time, kind, detail in ((comes, 2, 200), (comes + stays, 3, 500)):
            records.append(
                {"type": 2, "eventChangeType": kind, "eventChangeDetail": detail, "objectID": name}
                | {"referenceID": f"pod-{number}", "timestampNano": at(time), "resource": resources}
            )
    return sorted(records, key=lambda record: record["timestampNano"])


def answer(records, start=0, instance="one"):
    return {
        "InstanceUUID": instance,
        "LowestID": 0,
        "HighestID": max(len(records) - 1, 0),
        "EventRecords": records[start:],
    }


def expected(script, until=10 * HOUR):
    areas = {}
    for comes, stays, (name, queue), cpu, memory in script:
        lasted = max(min(comes + stays, until) - comes, 0)
        known = areas.get((queue, workflow_of(name)), (0, 0, 0))
        areas[queue, workflow_of(name)] = tuple(
            total + amount * lasted for total, amount in zip(known, (cpu, memory, 1), strict=True)
        )
    return areas


@given(Script)
def test_all_that_was_in_use_is_in_the_intervals_and_memory_is_bounded_by_what_runs(script):
    follower = profiler()
    follower.batch(answer(script_events(script)))

    intervals, gaps, says, _ = follower.take()
    assert {key: values[:3] for key, values in area(intervals).items()} == expected(script)
    for node in range(3):
        by_type = [
            interval for interval in intervals if interval.instance_type == instance_type_of(f"node-{node}")
        ]
        on_it = expected(script[node::3])
        assert {key: values[:3] for key, values in area(by_type).items() if values[0]} == on_it
    assert all(interval.began // HOUR == (interval.ended - 1) // HOUR for interval in intervals)
    assert len(merge.intervals(intervals)) == len(intervals)
    assert (gaps, says, follower.running_allocations, follower.state()["slots"]) == ([], [], 0, [])


@given(Script, st.lists(st.integers(0, 60), max_size=6), st.data())
def test_a_recorder_that_ends_anywhere_and_goes_on_loses_nothing_and_tells_nothing_twice(script, cuts, data):
    records = script_events(script)
    parts, follower, number = {}, profiler(), 0
    state = json.dumps(follower.state())
    for cut in sorted(min(cut, len(records)) for cut in cuts):
        if data.draw(st.booleans()):
            # It ends after it wrote a part, or before: its state is an older one.
            follower.batch(answer(records[:cut], follower.next_id))
            if data.draw(st.booleans()):
                parts[number + 1] = follower.take().intervals
            follower = Profiler.resumed(json.loads(state), workflow_of, instance_type_of)
            parts = {n: part for n, part in parts.items() if n <= number}
        else:
            follower.batch(answer(records[:cut], follower.next_id))
            number += 1
            parts[number] = follower.take().intervals
            state = json.dumps(follower.state())
    follower.batch(answer(records, follower.next_id))
    parts[number + 1] = follower.take().intervals

    whole = profiler()
    whole.batch(answer(records))
    in_order = merge.intervals(whole.take().intervals)
    assert merge.intervals(one for part in parts.values() for one in part) == in_order
    assert sum(map(len, parts.values())) == len(in_order)


@given(Script, st.integers(0, 4 * HOUR), st.integers(0, HOUR))
def test_around_a_restart_of_the_scheduler_what_is_not_in_the_gap_is_whole(script, died, down):
    records = script_events(script)
    before = [record for record in records if record["timestampNano"] <= at(died)]
    back = at(died + down)
    still = [
        (comes, stays, owner, cpu, memory)
        for comes, stays, owner, cpu, memory in script
        if comes <= died < comes + stays and comes + stays > died + down
    ]
    # A scheduler that starts tells of what it finds as of what came now.
    found = [(died + down, comes + stays - died - down, *rest) for comes, stays, *rest in still]
    after = [
        {**record, "timestampNano": max(record["timestampNano"], back)} for record in script_events(found)
    ]
    follower = profiler()
    follower.batch(answer(before))

    follower.batch(answer(after, len(before), instance="two"))
    follower.batch(answer(after, follower.next_id, instance="two"))

    intervals, gaps, _, _ = follower.take()
    last = max((record["timestampNano"] for record in before), default=0) // NANOS - BEGAN
    areas = expected([one for one in script if one[0] <= last], until=last)
    for key, values in expected(found).items():
        areas[key] = tuple(a + b for a, b in zip(values, areas.get(key, (0, 0, 0)), strict=True))
    assert {key: values[:3] for key, values in area(intervals).items()} == {
        key: values for key, values in areas.items() if any(values)
    }
    if before and after:
        assert [(gap.began - BEGAN, gap.ended - BEGAN) for gap in gaps] == [(last, died + down)]


@pytest.mark.parametrize(
    ("state", "says"),
    [
        ({}, "This is no state of a profiler: KeyError at 'version'."),
        ({"version": 3}, "The state is of version 3, but only 1 and 2 can be read."),
        (
            {**profiler().state(), "applications": {"a": [QUEUE, "", "", "", {"b": [1]}]}},
            "This is no state of a profiler",
        ),
    ],
)
def test_another_state_is_refused(state, says):
    with pytest.raises(InvalidState, match=says):
        Profiler.resumed(state)
