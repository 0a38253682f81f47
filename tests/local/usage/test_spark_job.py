"""The job that asks the history by Spark: what it writes is what DuckDB answers."""

import json
import os
import subprocess
import sys
import zipfile

import yaml

from localcloud.cloud import REPOSITORY
from moka.allocation import answers
from moka.allocation.rules import Rules
from moka.usage.questions import QUESTIONS
from tests.support import usage_history
from tests.support.spark_releases import python_path, spark_home
from tests.support.usage_history import BEGAN, DAY, ask

JOBS = REPOSITORY / "examples" / "jobs"
PROGRAM = JOBS / "usage_questions.py"


def as_wheel(folder):
    """`moka` as the package has it."""
    archive = folder / "moka.zip"
    with zipfile.ZipFile(archive, "w") as wheel:
        for file in sorted((REPOSITORY / "moka").rglob("*")):
            if file.suffix in (".py", ".sql"):
                wheel.write(file, file.relative_to(REPOSITORY))
    return archive


def submitted(folder, *arguments):
    """The program, run by real Spark with no more of `moka` than it is given."""
    wheel = as_wheel(folder)
    environment = {
        **{name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        "SPARK_HOME": str(spark_home()),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join(map(str, python_path())),
    }
    command = [
        *(spark_home() / "bin" / "spark-submit", "--master", "local[2]", "--driver-memory", "1g"),
        *("--conf", "spark.ui.enabled=false", "--conf", "spark.sql.shuffle.partitions=2"),
        *("--py-files", wheel, PROGRAM, *arguments),
    ]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


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
    job = yaml.safe_load((JOBS / "usage-questions.yaml").read_text())

    assert job["main_file"].endswith(f"/{PROGRAM.name}")
    assert {argument for argument in job["arguments"] if not argument.startswith("--")} <= QUESTIONS.keys()
    assert {argument.split("=")[0] for argument in job["arguments"] if argument.startswith("--")} == {
        "--history",
        "--asked",
        "--to",
    }
