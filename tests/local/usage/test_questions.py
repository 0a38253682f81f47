"""One text for each question, asked of DuckDB and of real Spark."""

from dataclasses import replace

import pytest

from moka.allocation import answers
from moka.allocation.rules import Rules
from moka.usage import places, questions
from moka.usage.records import (
    APPLICATIONS,
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
from tests.support import usage_history
from tests.support.spark_sql import spark_sql
from tests.support.usage_history import BEGAN, DAY, HOUR, ask

CLUSTERS = usage_history.clusters_of(3)
ASKED = replace(
    answers.window(CLUSTERS, BEGAN + 30 * DAY, Rules()),
    slos={"workflow-1": HOUR // 6, "workflow-2": HOUR // 2, "never.ran": 1},
)


@pytest.fixture(scope="module")
def history(tmp_path_factory):
    """A folder with runs of thirty days."""
    folder = tmp_path_factory.mktemp("history")
    usage_history.write_runs(folder, 6_000, queues=300, clusters=3)
    gap = Gap(
        cluster="batch-1", began=BEGAN + HOUR, ended=BEGAN + 3 * HOUR, says="The scheduler started anew."
    )
    usage_history.write(folder, GAPS, [gap, gap, replace(gap, began=gap.began - HOUR // 2)])
    usage_history.write(folder, APPLICATIONS, list(strange_runs()), number=99)
    usage_history.write(folder, JOBS, list(strange_jobs()), number=99)
    for number in (98, 99):
        usage_history.write(folder, PROFILES, list(intervals_of_a_shared_queue()), number)
    return folder


def intervals_of_a_shared_queue():
    """Of two workflows, and of none."""
    for number, workflow in enumerate(("workflow-1", "workflow-2", "")):
        yield Interval(
            cluster="batch-1",
            queue="root.acme.shared.tier1",
            workflow=workflow,
            began=BEGAN + DAY + number * HOUR // 4,
            ended=BEGAN + DAY + number * HOUR // 4 + HOUR // 2,
            cpu=1000 * (number + 1),
            memory=1024,
            gpu=0,
            applications=1,
            allocations=1,
        )


def strange_runs():
    """Runs of which not everything is known, some of them twice."""
    run = Application(
        cluster="batch-1", application="strange-1", submitted=BEGAN + DAY, workflow="workflow-1", queue="q"
    )
    used = Usage(kind="used", instance_type="UNKNOWN", cpu=7, memory=3 * 2**20 + 1)
    taken = Usage(kind="preempted", instance_type="UNKNOWN", cpu=5, memory=2**62)
    yield replace(run, started=BEGAN + DAY + 5, usage=(used,), outcome="completed")
    yield replace(run, finished=BEGAN + DAY + HOUR, usage=(used, taken), outcome="failed")
    yield replace(run, application="strange-2")
    yield replace(run, application="strange-3", submitted=BEGAN + 30 * DAY - 5)
    yield replace(run, application="strange-4", started=BEGAN, finished=BEGAN - 1, outcome="succeeded")
    yield replace(run, application="strange-5", finished=BEGAN + DAY + 1, outcome="stopped")


def strange_jobs():
    """Jobs of several attempts, some of them twice."""
    tries = [
        Attempt(number=number, cluster=cluster, application=f"strange-{number}", submitted=BEGAN + DAY)
        for number, cluster in ((1, "batch-1"), (2, "batch-1"), (3, "batch-2"))
    ]
    job = Job(
        cluster="batch-1",
        job="strange-a",
        accepted=BEGAN + DAY - 5,
        ended=BEGAN + DAY + 9,
        state="lost",
        queue="q",
    )
    yield replace(job, workflow="workflow-1", attempts=tuple(tries))
    yield replace(job, workflow="workflow-1", attempts=tuple(tries[:1]), state="succeeded")
    yield replace(job, job="strange-b", workflow="workflow-2", state="cancelled")
    yield replace(job, job="strange-c", accepted=BEGAN + DAY, ended=BEGAN, state="succeeded")


def test_duckdb_and_spark_give_the_same_answers(history, tmp_path):
    views = questions.spark_views(
        {table: f"file:{history}/{places.prefix(table.name)}" for table in TABLES.values()}
    )
    mark = "-- the next answer --"

    lines = spark_sql(
        tmp_path,
        {"spark.sql.shuffle.partitions": "2"},
        [
            *views,
            *ASKED.views(),
            *questions.shared_views(questions.QUESTIONS.values()),
            *(part for one in questions.QUESTIONS.values() for part in (one.sql, f"SELECT '{mark}'")),
        ],
    )

    *by_question, rest = "\n".join(lines).split(f"{mark}")
    assert not rest.strip()
    for question, text in zip(questions.QUESTIONS.values(), by_question, strict=True):
        by_duckdb = ask(history, question, ASKED)
        assert by_duckdb, question.name
        if question is questions.DEMANDS:
            assert any(row["workflow"] is None for row in by_duckdb)
        expected = ["\t".join(map(printed, row.values())) for row in by_duckdb]
        assert text.strip().splitlines() == expected, question.name


def printed(value):
    """As Spark prints it."""
    return "NULL" if value is None else str(value)
