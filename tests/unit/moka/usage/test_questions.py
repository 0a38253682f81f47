import json
from dataclasses import replace

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from moka.allocation import answers
from moka.allocation.cluster import Cluster
from moka.allocation.curve import curves
from moka.allocation.hourly import hourly, hourly_together
from moka.allocation.rules import Rules
from moka.queues.resources import Resources
from moka.usage import merge, places, questions
from moka.usage.records import (
    APPLICATIONS,
    DAY,
    GAPS,
    JOBS,
    PROFILES,
    TABLES,
    Application,
    Attempt,
    Gap,
    Interval,
    Job,
    Usage,
)
from moka.workflows.definitions import Workflow
from tests.support import usage_history
from tests.support.usage_history import BEGAN, HOUR, ask

A, B = (
    Cluster(name="batch-a", instance=Resources.of(cpu="4", memory="16Gi"), instances=10),
    Cluster(name="batch-b", instance=Resources.of(cpu="3", memory="7Gi", gpu=2), instances=10),
)
ASKED = answers.window([A, B], BEGAN + 30 * DAY + HOUR, Rules())


def interval(**changes):
    values = {"cluster": "batch-a", "queue": "root.acme.etl.tier1", "workflow": "daily", "began": BEGAN}
    values |= {
        "ended": BEGAN + HOUR,
        "cpu": 4000,
        "memory": 1024,
        "gpu": 0,
        "applications": 1,
        "allocations": 1,
    }
    return Interval(**{**values, **changes})


def run(number, cpu=0, memory=0, **changes):
    used = Usage(kind="used", instance_type="m5.xlarge", cpu=cpu, memory=memory)
    held = Usage(kind="placeholder", instance_type="m5.xlarge", cpu=10**9)
    values = {"cluster": "batch-a", "application": f"daily-{number}", "submitted": BEGAN, "workflow": "daily"}
    values |= {"queue": "root.acme.etl.tier1", "usage": (used, held), "outcome": "succeeded"}
    return Application(**{**values, **changes})


def job(number, *attempts, **changes):
    """A job, with attempts by the numbers of their runs."""
    values = {"cluster": "batch-a", "job": f"job-{number}", "accepted": BEGAN, "ended": BEGAN + HOUR}
    values |= {"workflow": "daily", "queue": "root.acme.etl.tier1", "state": "succeeded", **changes}
    tried = [
        Attempt(
            number=place,
            cluster="batch-a",
            application=f"daily-{attempt}",
            submitted=values["accepted"],
            ended=values["ended"],
            state="failed",
        )
        for place, attempt in enumerate(attempts, 1)
    ]
    return Job(**values, attempts=tuple(tried))


def test_records_come_back_from_where_they_are_written(tmp_path):
    records = {
        PROFILES: [
            interval(),
            interval(began=BEGAN + DAY, ended=BEGAN + DAY + 1),
            interval(cluster="batch-b"),
        ],
        APPLICATIONS: [run(1, 5, started=BEGAN + 3, sources=("archer", "summary")), run(2, usage=())],
        GAPS: [Gap(cluster="batch-a", began=BEGAN, ended=BEGAN + 5, says='It\'s "gone".')],
        JOBS: [job(1, 1, 2), job(2)],
    }
    for table, written in records.items():
        usage_history.write(tmp_path, table, written)

    assert list(records) and set(records) == set(TABLES.values())
    for table, written in records.items():
        files = [str(file) for file in tmp_path.rglob("*.parquet") if f"/{table.name}/" in str(file)]
        assert all(places.part(file.removeprefix(f"{tmp_path}/")) for file in files)
        with duckdb.connect() as session:
            for statement in questions.duckdb_views({table: files}):
                session.execute(statement)
            read = session.execute(f"SELECT to_json({table.name}) FROM {table.name}").fetchall()
        rows = [json.loads(text) for [text] in read]
        assert sorted(rows, key=str) == sorted((record.row() for record in written), key=str)


Script = st.lists(
    st.tuples(
        st.sampled_from(["batch-a", "batch-b", "batch-gone"]),
        st.sampled_from(["root.acme.etl.tier1", "root.acme.ml.tier3"]),
        st.integers(-3, 12),
        st.integers(1, 9),
        st.integers(0, 50_000),
        st.integers(0, 50_000),
        st.integers(0, 5),
        st.integers(0, 3),
    ),
    max_size=12,
)


@pytest.fixture(scope="module")
def session():
    """DuckDB, with a table in place of files of profiles."""
    with duckdb.connect() as session:
        types = ", ".join(f"{name} {kind}" for name, kind in PROFILES.duckdb_types().items())
        session.execute(f"CREATE TABLE profiles ({types})")
        for statement in [*ASKED.views(), *questions.shared_views([questions.AMOUNTS, questions.DEMANDS])]:
            session.execute(statement)
        yield session


def asked_of(session, question, history):
    """The rows of an answer from a history of profiles."""
    session.execute("DELETE FROM profiles")
    if history:
        places_of_values = ", ".join("?" * len(PROFILES.columns))
        session.executemany(
            f"INSERT INTO profiles VALUES ({places_of_values})", [list(one.row().values()) for one in history]
        )
    answer = session.execute(question.sql)
    names = [column[0] for column in answer.description]
    assert names == [column.name for column in question.columns]
    return [dict(zip(names, row, strict=True)) for row in answer.fetchall()]


def test_the_answer_on_amounts_is_what_the_definition_comes_to(session):
    @given(Script)
    def check(script):
        history = [
            interval(
                cluster=cluster,
                queue=queue,
                workflow=str(number),
                began=BEGAN + comes,
                ended=BEGAN + comes + stays,
                cpu=cpu,
                memory=memory,
                gpu=gpu,
                applications=applications,
            )
            for number, (cluster, queue, comes, stays, cpu, memory, gpu, applications) in enumerate(script)
        ]
        rows = asked_of(session, questions.AMOUNTS, history)

        assert answers.curves(rows) == curves(history, [A, B], ASKED.began, ASKED.ended)

    check()


Hours = st.lists(
    st.tuples(
        st.sampled_from(["daily", "weekly"]),
        st.sampled_from(["m5.xlarge", "r5.xlarge"]),
        st.integers(0, 3 * 24),
        st.integers(0, HOUR - 1),
        st.integers(1, HOUR),
        st.integers(1, 9_000),
        st.integers(1, 9_000),
        st.integers(1, 3),
    ),
    max_size=12,
)


def test_the_answer_on_demands_is_what_the_definition_comes_to(session):
    @given(Hours)
    def check(script):
        history = [
            interval(
                workflow=workflow,
                instance_type=instance_type,
                began=BEGAN + hour * HOUR + comes,
                ended=BEGAN + hour * HOUR + min(comes + stays, HOUR),
                cpu=cpu,
                memory=memory,
                applications=applications,
            )
            for workflow, instance_type, hour, comes, stays, cpu, memory, applications in script
        ]
        rows, known = asked_of(session, questions.DEMANDS, history), merge.intervals(history)

        for share in (50, 75, 90, 95, 99, 100):
            given = {(r["workflow"], r["hour"]): r for r in rows if r["share"] == share}
            expected = hourly(known, {"daily": share, "weekly": share})
            if len(expected) > 1:
                expected[None] = hourly_together(known, share)
            assert {
                (workflow, hour): (amount.cpu, amount.memory // 2**20, applications)
                for workflow, one in expected.items()
                for hour, (amount, applications) in enumerate(zip(one.demand, one.applications, strict=True))
                if applications
            } == {key: (row["cpu"], row["memory"], row["applications"]) for key, row in given.items()}

    check()


def test_ninety_percent_of_runs_take_no_more_than_is_needed(tmp_path):
    hours = 3_600_000
    # 1 to 20 core-hours; the last two are the 10% that take more. A machine has four cores.
    runs = [run(number, cpu=number * hours) for number in range(1, 21)]
    others = [
        run(30, cpu=10**12, outcome="failed"),
        run(31, cpu=10**12, workflow=""),
        run(32, cpu=10**12, submitted=BEGAN - 1),
        # By memory: 32 GiB-hours are two machine-hours.
        run(33, memory=32 * 2**30 * 3600, workflow="memory"),
    ]
    usage_history.write(tmp_path, APPLICATIONS, runs + others)

    rows = ask(tmp_path, questions.NEEDS, ASKED)

    daily, memory = rows
    assert list(daily) == [column.name for column in questions.NEEDS.columns]
    assert (daily["workflow"], daily["runs"], daily["machine_millis"]) == ("daily", 20, 18 * 1000 * HOUR // 4)
    assert (memory["workflow"], memory["machine_millis"]) == ("memory", 2 * 1000 * HOUR)
    workflow = Workflow(tier=1, slo_hours=3, owner="ada", project="acme.etl", cluster="batch-a")
    [need] = answers.needs(
        rows, "batch-a", {"daily": workflow, "memory": workflow.model_copy(update={"slo_hours": None})}
    )
    # 4.5 machine-hours in 3 hours.
    assert (need.workflow, need.machines) == ("daily", 1500)


def test_of_what_yunikorn_s_summary_and_its_events_say_was_used_the_larger_sum_counts(tmp_path):
    def used(cpu, instance_type):
        return Usage(kind="used", instance_type=instance_type, cpu=cpu)

    forgotten = run(1, usage=(used(7, "UNKNOWN"),), sources=("summary",))
    events = replace(forgotten, usage=(used(40, "m5.xlarge"), used(60, "r8g.4xlarge")), sources=("events",))
    together = merge.application(*(replace(record, application="merged") for record in (forgotten, events)))
    # The recorder was away for a while.
    away = run(2, usage=(used(50, "UNKNOWN"), used(20, "m5.xlarge"), used(10, "")))
    usage_history.write(tmp_path, APPLICATIONS, [forgotten, events, together, away])

    [row] = ask(tmp_path, questions.KINDS, ASKED)

    assert (row["kind"], row["cpu_seconds"]) == ("used", 100 + 100 + 50)


def test_a_job_needs_what_its_attempts_had_if_archer_says_that_it_succeeded(tmp_path):
    hours = 3_600_000
    usage_history.write(
        tmp_path,
        APPLICATIONS,
        [
            run(1, cpu=4 * hours, outcome="failed"),
            run(2, cpu=8 * hours, outcome="failed"),
            # YuniKorn calls what ended completed, whatever became of it.
            run(3, cpu=100 * hours, outcome="completed"),
            run(4, cpu=100 * hours, submitted=BEGAN + 1),
            run(5, cpu=4 * hours, workflow=""),
            run(6, cpu=100 * hours),
        ],
    )
    usage_history.write(
        tmp_path,
        JOBS,
        [
            job(1, 1, 2),
            job(3, 3, state="lost"),
            job(4, 4, accepted=BEGAN - 1),
            job(5, 5, workflow="named"),
            job(6, 6, cluster="batch-elsewhere"),
        ],
    )

    daily, named = ask(tmp_path, questions.NEEDS, ASKED)

    assert (daily["workflow"], daily["runs"], daily["machine_millis"]) == ("daily", 1, 3 * 1000 * HOUR)
    assert (named["workflow"], named["runs"], named["machine_millis"]) == ("named", 1, 1000 * HOUR)


def test_a_job_is_one_run_from_its_acceptance_and_ends_as_archer_says(tmp_path):
    minute = HOUR // 60

    def tried(number, waits=minute, **changes):
        times = {
            "submitted": BEGAN + minute,
            "started": BEGAN + minute + waits,
            "finished": BEGAN + 10 * minute,
        }
        return run(number, **{**times, **changes})

    usage_history.write(
        tmp_path,
        APPLICATIONS,
        [
            tried(1, outcome="failed"),
            tried(2, waits=3 * minute, outcome="failed"),
            tried(3, outcome="completed"),
            tried(4, outcome="completed"),
            tried(5, outcome="completed"),
            # The job of yesterday is none of today's, and one that Archer does not know is one as before.
            tried(6, outcome="completed"),
            tried(7, outcome="completed"),
        ],
    )
    jobs = [
        # Its attempts alone would have been in time.
        job(1, 1, 2, ended=BEGAN + HOUR + 1),
        job(3, 3, state="lost", ended=BEGAN + minute),
        job(4, 4, state="cancelled", ended=BEGAN + minute),
        job(5, 5, ended=BEGAN + HOUR),
        job(6, 6, accepted=BEGAN - 1),
        job(8, state="failed"),
    ]
    # As they are in the parts of two days, and written again.
    usage_history.write(tmp_path, JOBS, jobs)
    usage_history.write(tmp_path, JOBS, jobs, number=2)
    scope = replace(ASKED, slos={"daily": HOUR})

    [row] = ask(tmp_path, questions.RUNS, scope)

    expected = {"runs": 6, "completed": 3, "failed": 2, "stopped": 1, "unfinished": 0, "untimed": 0}
    assert {name: row[name] for name in expected} == expected
    assert (row["in_time"], row["late"]) == (2, 1)
    # The attempts of the first, together; those of today's others waited a minute.
    assert (row["waiting"], row["running"], row["took"]) == (4 * minute, 14 * minute, HOUR + 1)


@pytest.mark.parametrize("name", sorted(questions.QUESTIONS))
def test_what_is_there_several_times_counts_once(tmp_path, name):
    records = {
        APPLICATIONS: [run(1, 9 * HOUR), run(2, 8 * HOUR, outcome="failed"), run(3, 10 * HOUR)],
        PROFILES: [interval(), interval(workflow="weekly", cpu=3000)],
        GAPS: [Gap(cluster="batch-a", began=BEGAN, ended=BEGAN + 5, says="It is gone.")],
        JOBS: [job(1, 1), job(2, 2)],
    }

    def answer(folder, parts):
        for table, written in records.items():
            for number in range(parts):
                usage_history.write(folder, table, written, number)
        return ask(folder, questions.QUESTIONS[name], ASKED)

    rows = answer(tmp_path / "once", 1)
    assert rows
    assert answer(tmp_path / "again", 3) == rows


def test_of_records_of_one_interval_the_larger_amounts_count(session):
    cut, late = interval(ended=BEGAN + 60_000, cpu=8000), interval(memory=9_000)
    rows = asked_of(session, questions.AMOUNTS, [cut, late])

    assert rows == asked_of(session, questions.AMOUNTS, merge.intervals([cut, late]))
    assert [(row["busy"], row["cpu"], row["memory"]) for row in rows] == [(HOUR, 8000, 9_000)]


def test_days_without_records_and_gaps_are_told(tmp_path):
    days = [interval(began=BEGAN + day * DAY, ended=BEGAN + day * DAY + 1) for day in range(28)]
    usage_history.write(tmp_path, PROFILES, days)
    gap = Gap(cluster="batch-a", began=BEGAN - HOUR, ended=BEGAN + HOUR, says="The scheduler started anew.")
    later = replace(gap, began=BEGAN + 5 * HOUR, ended=BEGAN + 6 * HOUR)
    # It begins an hour before that, and ends within it.
    other = replace(gap, began=BEGAN + 4 * HOUR, ended=BEGAN + 5 * HOUR + HOUR // 2)
    usage_history.write(tmp_path, GAPS, [gap, later, other, later])

    sentences = list(answers.history_gaps(ask(tmp_path, questions.DAYS, ASKED), Rules()))

    assert sentences == [
        "Of batch-a there are no records of 2 of 30 days: what it used then does not count.",
        "Of batch-a it is not known what it used in 3.0 h: they do not count.",
        "Of batch-b there are no records, so its queues stay as the settings have them.",
    ]


def test_without_any_file_there_is_no_answer_and_no_error(tmp_path):
    assert ask(tmp_path, questions.AMOUNTS, ASKED) == []
    assert ask(tmp_path, questions.NEEDS, ASKED) == []


def test_the_window_is_of_whole_days():
    assert (ASKED.began, ASKED.ended) == (BEGAN, BEGAN + 30 * DAY)


@pytest.mark.parametrize(
    ("machines", "says"),
    [
        ({"a'; DROP TABLE profiles": (1, 1, 0)}, "is no name of a cluster"),
        ({}, "There is no cluster to ask about"),
    ],
)
def test_what_would_be_another_statement_is_refused(machines, says):
    with pytest.raises(ValueError, match=says):
        replace(ASKED, machines=machines).views()
    with pytest.raises(ValueError, match="has a quote or a backslash"):
        questions.spark_views({PROFILES: "a'b"})


def test_histories_of_many_runs_are_the_same_for_a_seed_and_where_parts_belong(tmp_path):
    for name, seed in (("one", 1), ("again", 1), ("other", 2)):
        usage_history.write_runs(tmp_path / name, 300, queues=30, clusters=3, seed=seed)

    scope = answers.window(usage_history.clusters_of(3), BEGAN + 30 * DAY, Rules())
    one, again, other = (ask(tmp_path / name, questions.AMOUNTS, scope) for name in ("one", "again", "other"))
    assert one == again != other
    files = [str(file.relative_to(tmp_path / "one")) for file in (tmp_path / "one").rglob("*.parquet")]
    assert files and all(places.part(file) for file in files)
