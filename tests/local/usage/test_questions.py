"""One text for each question, asked of DuckDB and of real Spark."""

import pytest

from moka.allocation import answers
from moka.allocation.rules import Rules
from moka.usage import places, questions
from moka.usage.records import GAPS, TABLES, Gap
from tests.support import usage_history
from tests.support.spark_sql import spark_sql
from tests.support.usage_history import BEGAN, DAY, HOUR, ask

CLUSTERS = usage_history.clusters_of(3)
ASKED = answers.asked(CLUSTERS, BEGAN + 30 * DAY, Rules())


@pytest.fixture(scope="module")
def history(tmp_path_factory):
    """A folder with runs of thirty days."""
    folder = tmp_path_factory.mktemp("history")
    usage_history.write_runs(folder, 3_000, queues=30, clusters=3)
    gap = Gap(
        cluster="batch-1", began=BEGAN + HOUR, ended=BEGAN + 3 * HOUR, says="The scheduler started anew."
    )
    usage_history.write(folder, GAPS, [gap])
    return folder


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
            *(part for one in questions.QUESTIONS.values() for part in (one.sql, f"SELECT '{mark}'")),
        ],
    )

    *by_question, rest = "\n".join(lines).split(f"{mark}")
    assert not rest.strip()
    for question, text in zip(questions.QUESTIONS.values(), by_question, strict=True):
        by_duckdb = ask(history, question, ASKED)
        assert by_duckdb, question.name
        expected = ["\t".join(str(value) for value in row.values()) for row in by_duckdb]
        assert text.strip().splitlines() == expected, question.name
