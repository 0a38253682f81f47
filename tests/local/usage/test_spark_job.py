"""The job that asks the history by Spark: what it writes is what DuckDB answers."""

import json
import subprocess

import yaml

from moka.allocation import answers
from moka.allocation.rules import Rules
from moka.usage.questions import QUESTIONS
from tests.support import usage_history, usage_job
from tests.support.usage_history import BEGAN, DAY, ask


def submitted(folder, *arguments):
    """The program, run by real Spark."""
    command = usage_job.command(folder, *arguments, conf={"spark.sql.shuffle.partitions": "2"})
    return subprocess.run(
        command, cwd=folder, env=usage_job.environment(), capture_output=True, text=True, check=False
    )


def test_the_job_writes_what_duckdb_answers(tmp_path):
    history = tmp_path / "history"
    usage_history.write_runs(history, 500, queues=10, clusters=2)
    asked = answers.window(usage_history.clusters_of(2), BEGAN + 30 * DAY, Rules())
    (tmp_path / "asked.json").write_text(asked.as_json())
    # Of gaps there are none: their folder is not there.
    names = [name for name, question in QUESTIONS.items() if name in ("amounts", "needs", "hours", "runs")]
    (history / "usage/v1/gaps").mkdir()

    done = submitted(
        tmp_path,
        *(f"--history=file:{history}", f"--asked=file:{tmp_path}/asked.json"),
        *(f"--to=file:{tmp_path}/answers", "--format=json", *names),
    )

    assert done.returncode == 0, done.stderr[-3000:]
    for name in names:
        by_duckdb = ask(history, QUESTIONS[name], asked)
        files = sorted((tmp_path / "answers" / name).glob("part-*.json"))
        written = [json.loads(line) for file in files for line in file.read_text().splitlines()]
        assert written == by_duckdb and written, name
        assert f"{name}: {len(written)} rows" in done.stdout


def test_the_job_file_gives_the_program_arguments_that_it_takes():
    job = yaml.safe_load(usage_job.PROGRAM.with_name("usage-questions.yaml").read_text())

    assert job["main_file"].endswith(f"/{usage_job.PROGRAM.name}")
    assert {argument for argument in job["arguments"] if not argument.startswith("--")} <= QUESTIONS.keys()
    assert {argument.split("=")[0] for argument in job["arguments"] if argument.startswith("--")} == {
        "--history",
        "--asked",
        "--to",
    }
