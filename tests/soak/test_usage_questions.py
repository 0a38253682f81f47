"""The job of real Spark that asks the history, where there are no gaps."""

from moka.allocation import answers
from moka.allocation.rules import Rules
from tests.local.usage.test_questions import expect_answers_of_duckdb
from tests.support import usage_history
from tests.support.usage_history import BEGAN, DAY


def test_a_history_without_gaps_is_answered_as_well(tmp_path):
    history = tmp_path / "history"
    usage_history.write_runs(history, 500, queues=10, clusters=2)
    asked = answers.window(usage_history.clusters_of(2), BEGAN + 30 * DAY, Rules())
    # Of gaps there are none: their folder is empty.
    (history / "usage/v1/gaps").mkdir()

    expect_answers_of_duckdb(tmp_path, history, asked, ["amounts", "needs", "hours", "runs"])
