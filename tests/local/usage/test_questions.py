"""One text for each question, asked of DuckDB, and by the job of real Spark."""

import json
import subprocess
from dataclasses import replace

import pytest
import yaml

from moka.allocation import answers
from moka.allocation.rules import Rules
from moka.usage.questions import DEMANDS, QUESTIONS
from moka.usage.records import (
    APPLICATIONS,
    GAPS,
    JOBS,
    PROFILES,
    Application,
    Attempt,
    Gap,
    Interval,
    Job,
    Usage,
)
from tests.support import usage_history, usage_job
from tests.support.spark_sql import JVM
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
    by_events = [replace(used, instance_type=name, cpu=4) for name in ("", "m5.xlarge")]
    yield replace(run, started=BEGAN + DAY + 5, usage=(used, *by_events), outcome="completed")
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


def expect_answers_of_duckdb(folder, history, asked, names):
    """Run the job by real Spark; what it writes, in a folder, is what DuckDB answers."""
    (folder / "asked.json").write_text(asked.as_json())
    command = usage_job.command(
        folder,
        *(f"--history=file:{history}", f"--asked=file:{folder}/asked.json"),
        *(f"--to=file:{folder}/answers", "--format=json", *names),
        conf={"spark.sql.shuffle.partitions": "2", "spark.driver.extraJavaOptions": JVM},
    )

    done = subprocess.run(
        command, cwd=folder, env=usage_job.environment(), capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr[-3000:]
    for name in names:
        by_duckdb = ask(history, QUESTIONS[name], asked)
        files = sorted((folder / "answers" / name).glob("part-*.json"))
        written = [json.loads(line) for file in files for line in file.read_text().splitlines()]
        assert written == by_duckdb and written, name
        assert f"{name}: {len(written)} rows" in done.stdout


def test_the_job_writes_for_every_question_what_duckdb_answers(history, tmp_path):
    expect_answers_of_duckdb(tmp_path, history, ASKED, list(QUESTIONS))

    assert any(row["workflow"] is None for row in ask(history, DEMANDS, ASKED))


def test_the_job_file_gives_the_program_arguments_that_it_takes():
    job = yaml.safe_load(usage_job.PROGRAM.with_name("usage-questions.yaml").read_text())

    assert job["main_file"].endswith(f"/{usage_job.PROGRAM.name}")
    assert {argument for argument in job["arguments"] if not argument.startswith("--")} <= QUESTIONS.keys()
    assert {argument.split("=")[0] for argument in job["arguments"] if argument.startswith("--")} == {
        "--history",
        "--asked",
        "--to",
    }
