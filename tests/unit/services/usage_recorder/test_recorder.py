"""A recorder with a scheduler's ring of events and moto's S3: what is in the tables is what happened."""

import asyncio
import secrets
from contextlib import suppress

import pytest

from moka.usage import places
from moka.usage.records import APPLICATIONS, PROFILES
from services.usage_recorder import session as sessions
from services.usage_recorder.bucket import FAILURES
from services.usage_recorder.ledger import Superseded
from services.usage_recorder.recorder import STAND_BY_SECONDS
from tests.unit.moka.usage.recordings import log_lines
from tests.unit.services.usage_recorder.stage import (
    BEGAN,
    CLUSTER,
    HOUR,
    NANOS,
    SECOND,
    WORKFLOW_TAG,
    Cut,
    Killed,
    Stage,
    run,
)

TYPE = "m7g.4xlarge"


def follow(session):
    """Read all events that there are."""

    async def steps():
        while await session.follower.step():
            pass

    run(steps())


def save(session):
    follow(session)
    run(session.save())


def a_run(scheduler, name="daily-1", at=0, lasts=60 * SECOND, workflow="daily"):
    """An application with two pods, one of them for half of the time."""
    scheduler.come(name, at, workflow)
    scheduler.give(name, f"{name}-driver", at)
    scheduler.give(name, f"{name}-1", at, cpu=2000)
    scheduler.take(name, f"{name}-1", at + lasts // 2)
    scheduler.take(name, f"{name}-driver", at + lasts)
    scheduler.end(name, at + lasts)


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr("services.usage_recorder.session.BACKOFF_SECONDS", (0.0, 0.0))


def test_events_become_intervals_of_workflows_and_types_of_machines(stage):
    stage.scheduler.come("daily-1", 0)
    stage.scheduler.give("daily-1", "driver", 10)
    stage.scheduler.give("daily-1", "one", 20, cpu=500)
    session = stage.session()
    save(session)
    stage.scheduler.take("daily-1", "one", 40)
    stage.scheduler.take("daily-1", "driver", 70)
    save(session)

    assert stage.profiles == [
        (10, 20, "daily", 1000, TYPE),
        (20, 40, "daily", 1500, TYPE),
        (40, 70, "daily", 1000, TYPE),
    ]


def test_an_hour_without_a_change_is_given_out_when_it_is_full_for_all_clocks(stage):
    stage.scheduler.come("daily-1", 0)
    stage.scheduler.give("daily-1", "driver", 0)
    session = stage.session()
    for minutes in (60, 62):
        stage.now = BEGAN + minutes * 60 * SECOND
        save(session)
        assert stage.profiles == ([(0, HOUR, "daily", 1000, TYPE)] if minutes == 62 else [])


@pytest.mark.parametrize("late", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("dies", range(14))
def test_wherever_it_ends_its_successor_goes_on_and_nothing_is_lost_or_there_twice(stage, dies, late):
    a_run(stage.scheduler)
    cut = Cut(stage.client)
    cut.after, cut.late = dies, late
    try:
        session = stage.session(cut)
        save(session)
        a_run(stage.scheduler, "hourly-1", at=100 * SECOND, workflow="hourly")
        stage.now = BEGAN + 2 * HOUR
        save(session)
        run(session.tidy())
        assert dies == 13
    except Killed:
        if "hourly-1" not in {one["applicationID"] for one in stage.scheduler.ended}:
            a_run(stage.scheduler, "hourly-1", at=100 * SECOND, workflow="hourly")

    stage.now = BEGAN + 2 * HOUR
    session = stage.session()
    save(session)
    stage.now = BEGAN + 3 * HOUR
    run(session.tidy())

    assert [row[:2] for row in stage.profiles] == [
        (0, 30_000),
        (30_000, 60_000),
        (100_000, 130_000),
        (130_000, 160_000),
    ]
    assert stage.applications.keys() == {"daily-1", "hourly-1"}
    assert stage.gaps == []


def test_two_at_once_count_once_and_the_first_one_stands_by(stage):
    a_run(stage.scheduler)
    one = stage.session()
    save(one)
    a_run(stage.scheduler, "daily-2", at=100 * SECOND)
    follow(one)
    other = stage.session()
    save(other)

    with pytest.raises(Superseded):
        run(one.save())
    a_run(stage.scheduler, "daily-3", at=200 * SECOND)
    save(other)

    assert [row[0] for row in stage.profiles] == [0, 30_000, 100_000, 130_000, 200_000, 230_000]


def test_who_was_superseded_takes_over_once_nobody_saves_any_more(stage, monkeypatch):
    a_run(stage.scheduler)
    one = stage.recorder()

    async def pass_by(seconds, real=asyncio.sleep):
        stage.seconds += max(seconds, 1)
        await real(0)

    monkeypatch.setattr("services.usage_recorder.recorder.asyncio.sleep", pass_by)
    monkeypatch.setattr(sessions, "SAVE_SECONDS", 0.01)
    began, other = [], None
    begin = one.begin

    async def counted():
        session = await begin()
        began.append(stage.seconds)
        return session

    one.begin = counted

    async def recorded():
        nonlocal other
        task = asyncio.create_task(one.run())
        while not stage.profiles:
            await asyncio.sleep(0)
        other = await stage.recorder().begin()
        await other.save()
        while len(began) < 2:
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await one.finish()

    run(recorded())

    assert began[1] - began[0] >= STAND_BY_SECONDS
    with pytest.raises(Superseded):
        run(other.save())
    assert [row[0] for row in stage.profiles] == [0, 30_000]


def test_while_the_bucket_is_away_it_reads_on_and_then_saves_everything_once(stage):
    cut = Cut(stage.client)
    session = stage.session(cut)
    cut.after, cut.requests, cut.told = 0, 0, True
    a_run(stage.scheduler)
    follow(session)

    async def outage():
        saving = asyncio.create_task(session.save())
        for _ in range(50):
            await asyncio.sleep(0.001)
        a_run(stage.scheduler, "daily-2", at=100 * SECOND)
        await session.follower.step()
        cut.after = None
        await saving

    run(outage())
    run(session.save())

    assert [row[0] for row in stage.profiles] == [0, 30_000, 100_000, 130_000]
    assert stage.gaps == []


def test_memory_is_bounded_and_what_the_ring_overwrites_meanwhile_is_a_gap(s3, tmp_path, monkeypatch):
    monkeypatch.setattr(sessions, "HELD", 1)
    monkeypatch.setattr(sessions, "PAUSE_SECONDS", 0.0)
    stage = Stage(s3, tmp_path, capacity=20)
    stage.scheduler.come("daily-1", 0)
    stage.scheduler.give("daily-1", "driver", 0)
    stage.scheduler.give("daily-1", "one", 10 * SECOND)
    session = stage.session()
    follow(session)
    assert session.held_intervals == 1

    async def held():
        following = asyncio.create_task(session._follow())
        for number in range(20):
            stage.scheduler.give("daily-1", f"pod-{number}", (20 + number) * SECOND)
        for _ in range(20):
            await asyncio.sleep(0)
        # It waits, and the ring goes on.
        assert session.held_intervals == 1
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)

    run(held())
    stage.now = BEGAN + 50 * SECOND
    save(session)
    save(session)
    stage.scheduler.take("daily-1", "driver", 60 * SECOND)
    save(session)

    assert stage.gaps == [(10_000, 50_000, "20 events were overwritten before they were read.")]
    assert stage.profiles == [(0, 10_000, "daily", 1000, TYPE), (50_000, 60_000, "daily", 22_000, TYPE)]


def test_a_ring_that_ran_full_is_read_by_ids_whatever_else_yunikorn_answers(s3, tmp_path):
    """Of a ring of 30,000 it answers 10,000 events and, after them, the first ones of the ring."""
    stage = Stage(s3, tmp_path, capacity=30_000)
    scheduler = stage.scheduler
    scheduler.come("daily-1", 0)
    scheduler.give("daily-1", "driver", 0)
    session = stage.session()
    follow(session)
    for number in range(5_000):
        at = number * SECOND
        scheduler.give("daily-1", f"pod-{number}", at, cpu=number + 1)
        scheduler.take("daily-1", f"pod-{number}", at + SECOND // 2)
    follow(session)
    for number in range(5_000, 10_000):
        at = number * SECOND
        scheduler.give("daily-1", f"pod-{number}", at, cpu=number + 1)
        scheduler.take("daily-1", f"pod-{number}", at + SECOND // 2)
    answer = run(scheduler.events(session.profiler.next_id))
    assert len(answer["EventRecords"]) > 10_000
    save(session)

    used = {row["began"] - BEGAN: row["cpu"] for row in stage.rows(PROFILES) if row["cpu"] > 1000}
    assert used == {number * SECOND: number + 1001 for number in range(10_000)}
    assert stage.gaps == []


def test_a_scheduler_that_starts_anew_is_a_gap_after_which_all_is_known(stage):
    stage.scheduler.come("daily-1", 0)
    stage.scheduler.give("daily-1", "driver", 0)
    session = stage.session()
    follow(session)
    stage.scheduler.start_anew("two")
    stage.scheduler.come("daily-1", 90 * SECOND)
    stage.scheduler.give("daily-1", "driver", 90 * SECOND)
    stage.scheduler.take("daily-1", "driver", 95 * SECOND)
    follow(session)
    save(session)

    assert stage.gaps == [(0, 90_000, "The scheduler started anew.")]
    assert stage.profiles == [(90_000, 95_000, "daily", 1000, TYPE)]


def test_summaries_are_read_once_late_ones_too_and_merged_with_what_the_scheduler_says(stage):
    # What a real scheduler wrote on this day.
    lines = [line for line in log_lines() if "daily-1" in line]
    stage.bring("120000-aaaaaaaa", lines)
    session = stage.session()
    save(session)
    stage.bring("120100-bbbbbbbb", lines)
    stage.bring("000500-cccccccc", [line for line in log_lines() if "hourly-1" in line], day="2026/11/25")
    save(session)
    stage.now += HOUR
    run(session.tidy())

    rows = stage.applications
    assert rows.keys() == {"daily-1", "hourly-1"}
    [used] = [part for part in rows["daily-1"]["usage"] if part["kind"] == "used"]
    assert used["cpu"] == 84_000
    assert len(stage.rows(APPLICATIONS)) == 2
    # Once more, by another one.
    save(session := stage.session())
    stage.now += HOUR
    run(session.tidy())
    assert stage.applications == rows


def test_an_application_is_one_row_from_its_first_pod_to_its_late_summary(stage):
    session = stage.session()
    stage.scheduler.come("daily-1", 0)
    stage.scheduler.give("daily-1", "driver", 0)
    save(session)
    stage.now += HOUR
    run(session.tidy())
    [row] = stage.rows(APPLICATIONS)
    assert (row["workflow"], row["namespace"], row["outcome"]) == ("daily", "jobs", "")

    stage.scheduler.take("daily-1", "driver", 60 * SECOND)
    stage.scheduler.end("daily-1", 60 * SECOND)
    save(session)
    stage.now += HOUR
    run(session.tidy())

    [row] = stage.rows(APPLICATIONS)
    assert (row["workflow"], row["outcome"], row["running"]) == ("daily", "completed", 60_000)
    assert row["sources"] == "active,completed,events"


def used_by(row):
    return {(part["kind"], part["instance_type"]): part["cpu"] for part in row["usage"]}


def test_what_an_application_used_is_known_whoever_started_anew_while_it_ran(stage):
    scheduler = stage.scheduler
    scheduler.come("daily-1", 0)
    scheduler.give("daily-1", "driver", 0)
    scheduler.give("daily-1", "one", 10 * SECOND, cpu=500, node="node-2")
    session = stage.session()
    save(session)
    stage.now += HOUR
    run(session.tidy())
    # Its record is in the table, and nothing of it in what is to be put there.
    session = stage.session()
    follow(session)
    submitted = scheduler.running["daily-1"]["submissionTime"]
    scheduler.start_anew("two")
    scheduler.come("daily-1", 90 * SECOND)
    scheduler.running["daily-1"]["submissionTime"] = submitted
    scheduler.give("daily-1", "driver", 90 * SECOND)
    follow(session)
    scheduler.take("daily-1", "driver", 100 * SECOND)
    scheduler.end("daily-1", 100 * SECOND)
    save(session)
    stage.now += HOUR
    run(session.tidy())

    [row] = stage.rows(APPLICATIONS)
    # Of the other one nobody knows when in the gap it ended.
    assert used_by(row) == {("used", TYPE): 1000 * 100, ("used", ""): 0}
    assert (row["workflow"], row["outcome"]) == ("daily", "completed")


def test_an_application_that_comes_back_under_its_id_is_another_one(stage):
    session = stage.session()
    for at, lasts in ((0, 60), (1000, 20)):
        a_run(stage.scheduler, at=at * SECOND, lasts=lasts * SECOND)
        application = stage.scheduler.ended[-1]
        stage.scheduler.running["daily-1"] = {
            **application,
            "requests": [{"allocationTags": {WORKFLOW_TAG: "daily"}}],
        }
        follow(session)
        run(session.save())
        del stage.scheduler.running["daily-1"]
    stage.now += HOUR
    run(session.tidy())

    rows = stage.rows(APPLICATIONS)
    assert [(row["submitted"] - BEGAN, used_by(row)) for row in rows] == [
        (0, {("used", TYPE): 1000 * 60 + 2000 * 30}),
        (1000 * SECOND, {("used", TYPE): 1000 * 20 + 2000 * 10}),
    ]


def test_a_gang_is_one_row_whose_submission_yunikorn_knows_once_its_driver_asks_for_a_place(stage):
    stage.scheduler.come("daily-1", 5)
    application = stage.scheduler.running["daily-1"]
    [driver] = application["requests"]
    stage.scheduler.give("daily-1", "tg-1", 10)
    for pod in (driver, *application["allocations"]):
        pod["placeholder"] = True
    session = stage.session()
    save(session)

    application["submissionTime"] = (BEGAN + 2) * NANOS
    application["requests"].append({**driver, "placeholder": False})
    stage.seconds += 60
    save(session)
    stage.scheduler.take("daily-1", "tg-1", 60 * SECOND)
    stage.scheduler.end("daily-1", 60 * SECOND)
    stage.seconds += 60
    save(session)
    stage.now += HOUR
    run(session.tidy())

    [row] = stage.rows(APPLICATIONS)
    assert (row["submitted"], row["workflow"], row["sources"]) == (
        BEGAN + 2,
        "daily",
        "active,completed,events",
    )


def test_an_object_that_is_cut_off_is_read_as_far_as_it_goes_and_told(stage, caplog):
    lines = [line for line in log_lines() if "daily-1" in line]
    stage.bring("120000-aaaaaaaa", [*lines, secrets.token_hex(10_000)])
    [key] = stage.keys("acme-test")
    whole = stage.bucket().read(key)[0]
    stage.client.put_object(Bucket=stage.name, Key=key, Body=whole[:-2000])
    session = stage.session()
    save(session)
    stage.now += HOUR
    run(session.tidy())

    assert stage.applications.keys() == {"daily-1"}
    assert any("is cut off" in record.message for record in caplog.records)


def test_parts_of_a_day_that_is_over_become_one_with_the_same_rows(stage):
    session = stage.session()
    for number in range(4):
        a_run(stage.scheduler, f"daily-{number}", at=number * 100 * SECOND)
        save(session)
    before = stage.profiles
    prefix = places.prefix("profiles", places.day_of(BEGAN), CLUSTER)
    assert len(stage.keys(prefix)) == 4

    stage.now = BEGAN + 24 * HOUR
    run(session.tidy())
    assert len(stage.keys(prefix)) == 4
    stage.now = BEGAN + 25 * HOUR + 1
    run(session.tidy())

    assert len(stage.keys(prefix)) == 1
    assert stage.profiles == before
    save(session)
    assert stage.profiles == before


def test_many_parts_of_today_become_one_too(stage, monkeypatch):
    monkeypatch.setattr(sessions, "LOOSE", 3)
    session = stage.session()
    for number in range(3):
        a_run(stage.scheduler, f"daily-{number}", at=number * 100 * SECOND)
        save(session)
        run(session.tidy())

    assert len(stage.keys(places.prefix("profiles"))) == 1
    assert len(stage.profiles) == 6


@pytest.mark.parametrize("dies", range(12))
def test_wherever_parts_are_put_together_and_it_ends_all_rows_are_there_once(stage, dies):
    cut = Cut(stage.client)
    session = stage.session(cut)
    for number in range(3):
        a_run(stage.scheduler, f"daily-{number}", at=number * 100 * SECOND)
        save(session)
    before = stage.profiles
    stage.now = BEGAN + 26 * HOUR
    cut.requests, cut.after = 0, dies
    with suppress(Killed):
        run(session.tidy())
    save(stage.session())

    assert stage.profiles == before
    assert len(stage.applications) in (0, 3)


def test_a_scheduler_that_is_away_is_asked_again_and_what_is_known_is_saved_meanwhile(stage):
    a_run(stage.scheduler)
    session = stage.session()
    follow(session)
    stage.scheduler.away = True
    run(session.save())
    assert [row[0] for row in stage.profiles] == [0, 30_000]

    stage.scheduler.away = False
    a_run(stage.scheduler, "daily-2", at=100 * SECOND)
    save(session)
    assert len(stage.profiles) == 4


def test_it_saves_a_last_time_when_it_is_told_to_end(stage):
    a_run(stage.scheduler)
    recorder = stage.recorder()
    session = run(recorder.begin())
    follow(session)
    run(recorder.finish())

    assert len(stage.profiles) == 2


def test_a_save_that_was_cut_off_is_not_saved_over(stage):
    """What it took is in no state: the next one reads those events again."""
    a_run(stage.scheduler)
    cut = Cut(stage.client)
    recorder = stage.recorder(cut)
    session = run(recorder.begin())
    follow(session)
    cut.requests, cut.after = 0, 0

    async def cut_off():
        with pytest.raises(Killed):
            await session.save()

    run(cut_off())
    cut.after = None
    run(recorder.finish())
    assert stage.profiles == []
    save(stage.session())
    assert len(stage.profiles) == 2


def test_what_is_measured_says_how_far_behind_it_is(stage):
    a_run(stage.scheduler)
    recorder = stage.recorder()

    def metric(name):
        return recorder.registry.get_sample_value(f"moka_usage_recorder_{name}")

    assert metric("standing_by") == 1
    session = run(recorder.begin())
    stage.seconds += 40
    assert (metric("standing_by"), metric("behind_seconds"), metric("saved_age_seconds")) == (0, 40, 40)
    follow(session)
    assert (metric("behind_events"), metric("behind_seconds"), metric("held_intervals")) == (0, 0, 2)
    run(session.save())
    assert (metric("intervals_total"), metric("parts_total"), metric("saved_age_seconds")) == (2, 1, 0)
    assert metric("bytes_total") > 0
    assert recorder.problem() is None
    stage.seconds += 400
    assert recorder.problem() == "stalled"


def test_without_a_bucket_it_does_not_begin(stage):
    cut = Cut(stage.client)
    cut.after, cut.told = 0, True
    with pytest.raises(FAILURES):
        stage.session(cut)
