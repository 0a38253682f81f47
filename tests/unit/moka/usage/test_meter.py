"""What each application has used, of the same events as profiles."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moka.quantities import MIB
from moka.usage.events import Amount, Event, event
from moka.usage.meter import MOST, Meter
from moka.usage.profiles import NANOS, Profiler
from moka.usage.records import HOUR, Usage
from moka.usage.summaries import summaries
from tests.unit.moka.usage.recordings import CLUSTER, document, log_lines
from tests.unit.moka.usage.test_profiles import (
    BEGAN,
    QUEUE,
    Script,
    added,
    answer,
    arrival,
    at,
    gone,
    instance_type_of,
    profiler,
    script_events,
    workflow_of,
)

SECOND = 1_000
LARGE = Amount(8_000, 43 * 1024, 1)


def end(time, application="daily-1"):
    return Event("application gone", at(time), application, queue=QUEUE)


def usages(batch):
    return {usage.application: usage.usage for usage in batch.usages}


def usages_of(changes):
    follower = profiler()
    for change in changes:
        follower.change(change)
    return usages(follower.take())


def totals(usage):
    """Cores and MiB times seconds, by kind."""
    sums = {}
    for part in usage:
        cpu, memory = sums.get(part.kind, (0, 0))
        sums[part.kind] = cpu + part.cpu / 1000, memory + part.memory / MIB
    return sums


def test_an_application_has_what_its_pods_had_once_it_is_gone_by_type_of_machine():
    on = Event("node", at(0), allocation="a", node="arm-1")
    running = [
        arrival(0),
        on,
        added(0, "a"),
        added(10 * SECOND, "b", cpu=500),
        gone(40 * SECOND, "a"),
        gone(50 * SECOND, "b"),
    ]

    assert usages_of(running) == {}
    assert usages_of([*running, end(80 * SECOND)])["daily-1"] == (
        Usage(kind="used", instance_type="", cpu=500 * 40, memory=2048 * MIB * 40),
        Usage(kind="used", instance_type="m7g.4xlarge", cpu=1000 * 40, memory=2048 * MIB * 40),
    )


@pytest.mark.parametrize(
    ("detail", "kind"),
    [(500, "used"), (501, "preempted"), (502, "placeholder"), (503, "placeholder"), (504, "used")],
)
def test_what_became_of_a_pod_is_what_yunikorn_s_event_says(detail, kind):
    record = {"type": 2, "eventChangeType": 3, "eventChangeDetail": detail, "timestampNano": at(30 * SECOND)}
    record |= {"objectID": "daily-1", "referenceID": "a", "resource": {"resources": {}}}

    usage = usages_of([arrival(0), added(0, "a"), event(record), end(60 * SECOND)])["daily-1"]

    assert totals(usage) == {kind: (30, 2048 * 30)}


def test_it_comes_to_what_the_real_scheduler_s_own_summaries_say():
    follower = profiler()
    follower.batch(document("events"))
    by_events = {name: totals(usage) for name, usage in usages(follower.take()).items()}
    by_summary = {
        summary.record.application: totals(summary.record.usage)
        for summary in summaries(log_lines(), CLUSTER)
        if summary.record
    }

    assert by_events.keys() == {"daily-1", "hourly-1"}
    # Summaries count whole seconds of each pod, of which daily-1 has four with seven cores.
    for name, cores in (("daily-1", 7), ("hourly-1", 1.5)):
        assert by_summary[name]["used"][0] <= by_events[name]["used"][0] < by_summary[name]["used"][0] + cores


def test_what_a_real_scheduler_forgot_when_it_started_anew_counts():
    """Its own summary of the gang has 42 cores times seconds, from its start on."""
    before, after = document("events"), document("events-of-a-restart")
    follower = profiler()
    follower.batch(before)
    follower.take()
    follower.batch({**after, "EventRecords": []})
    follower.batch(after)

    used = totals(usages(follower.take())["gang-1"])["used"][0]
    began, lasted = {}, {}
    for change in (
        change
        for source in (before, after)
        for record in source["EventRecords"]
        if (change := event(record)) and change.application == "gang-1"
    ):
        if change.what == "allocation":
            began.setdefault(change.allocation, change.at)
        elif change.what == "allocation gone" and change.kind == "used":
            lasted[change.allocation] = (
                (change.at - began[change.allocation]) / 1e9 * change.amount.cpu / 1000
            )
    assert used == pytest.approx(sum(lasted.values()), abs=0.01)
    [forgetful] = [
        summary.record.usage
        for summary in summaries(log_lines(), CLUSTER)
        if summary.record and summary.record.application == "gang-1"
    ]
    assert totals(forgetful)["used"][0] == 42
    assert used > 42 + 60


def test_what_is_not_there_again_after_a_gap_counts_until_the_gap_began():
    follower = profiler()
    for change in (
        arrival(0),
        added(0, "a"),
        added(0, "b"),
        arrival(0, "x-1"),
        added(0, "c", application="x-1"),
    ):
        follower.change(change)
    follower.change(arrival(10 * SECOND, "y-1"))
    follower.lose("The scheduler started anew.")
    for change in (arrival(90 * SECOND), added(90 * SECOND, "a")):
        follower.change(change)

    follower.advance(BEGAN + HOUR)
    assert usages(follower.take()) == {}
    follower.advance(BEGAN + 2 * HOUR)
    # It may be gone for ever, of which nobody will tell.
    assert {name: totals(usage) for name, usage in usages(follower.take()).items()} == {
        "x-1": {"used": (10, 2048 * 10)}
    }
    for change in (gone(2 * HOUR, "a"), end(2 * HOUR)):
        follower.change(change)
    assert {name: totals(usage) for name, usage in usages(follower.take()).items()} == {
        "daily-1": {"used": (7200 + 10, 2048 * (7200 + 10))}
    }


def test_what_the_ring_lost_is_not_missing_of_what_still_runs():
    answer_of_all = document("events")
    follower = profiler()
    follower.batch({**answer_of_all, "EventRecords": answer_of_all["EventRecords"][:40]})
    first = {
        change.allocation: change.at // NANOS
        for record in answer_of_all["EventRecords"][:40]
        if (change := event(record)) and change.what == "allocation"
    }
    follower.batch({**answer_of_all, "LowestID": 60, "EventRecords": []})
    follower.seed(document("active"), next_id=97, at=max(first.values()) + 60_000)

    pods = {
        key: since
        for account in follower.state()["meter"].values()
        for key, (_, _, since) in account["pods"].items()
    }
    assert first.keys() <= pods.keys()
    assert {key: pods[key] for key in first} == first


def test_memory_that_no_column_holds_is_the_most_that_one_does():
    meter = Meter()
    for number in range(5_000):
        meter.begin("large", f"pod-{number}", LARGE, "r8g.16xlarge", 0)
    meter.gone("large", 11 * HOUR)
    meter.begin("large", "pod", LARGE._replace(memory=LARGE.memory * 5_000), "r8g.16xlarge", 0)
    meter.gone("large", 12 * HOUR)

    [fits], [too_large] = (usage.usage for usage in meter.take())
    assert fits.memory == 5_000 * 43 * 2**30 * 11 * 3600
    assert too_large.memory == MOST


@given(Script, st.lists(st.integers(0, 60), max_size=4))
def test_each_application_has_what_its_pods_had_wherever_the_recorder_ended(script, cuts):
    records = script_events(script)
    last = max((record["timestampNano"] for record in records), default=0)
    for name in sorted({owner for _, _, (owner, _), _, _ in script}):
        records.append(
            {"type": 4, "eventChangeType": 3, "eventChangeDetail": 405, "timestampNano": last}
            | {"objectID": QUEUE, "referenceID": name}
        )
    follower, batches = profiler(), []
    for cut in [*sorted(min(cut, len(records)) for cut in cuts), len(records)]:
        follower.batch(answer(records[:cut], follower.next_id))
        batches.append(follower.take())
        follower = Profiler.resumed(json.loads(json.dumps(follower.state())), workflow_of, instance_type_of)

    by_events = [usage for batch in batches for usage in batch.usages]
    assert len({usage.application for usage in by_events}) == len(by_events)
    expected = {}
    for _, stays, (name, _), cpu, memory in script:
        cores, mebibytes = expected.get(name, (0, 0))
        expected[name] = cores + cpu * stays, mebibytes + memory * stays
    assert {usage.application for usage in by_events} == expected.keys()
    for name, usage in by_events:
        [(cores, mebibytes)] = totals(usage).values()
        # Rounded down for each of three types of machines.
        assert expected[name][0] / 1e6 - 0.003 <= cores <= expected[name][0] / 1e6
        assert mebibytes == pytest.approx(expected[name][1] / 1e3, abs=0.001)
    assert follower.state()["meter"] == {}


def test_a_state_of_before_goes_on_with_what_runs():
    follower = profiler()
    for change in (arrival(0), added(0, "a")):
        follower.change(change)
    follower.take()
    state = json.loads(json.dumps({**follower.state(), "version": 1}))
    del state["meter"]

    resumed = Profiler.resumed(state, workflow_of, instance_type_of)
    for change in (gone(30 * SECOND, "a"), end(30 * SECOND)):
        resumed.change(change)

    assert totals(usages(resumed.take())["daily-1"]) == {"used": (30, 2048 * 30)}
