"""Questions to a history that does not fit the memory that they may have."""

from datetime import timedelta

from moka.allocation import answers
from moka.allocation.rules import Rules
from moka.usage.places import day_of
from moka.usage.questions import AMOUNTS
from planning.history import ask
from tests.support import usage_history
from tests.support.usage_history import BEGAN, DAY


def test_what_does_not_fit_memory_is_not_left_in_the_current_folder(tmp_path, monkeypatch):
    usage_history.write_runs(tmp_path, 60_000, queues=200, clusters=2)
    window = answers.window(usage_history.clusters_of(2), BEGAN + 30 * DAY, Rules())
    days = [day_of(BEGAN) + timedelta(days=number) for number in range(30)]
    monkeypatch.chdir(tmp_path)
    # Where DuckDB would have its folder.
    (tmp_path / ".tmp").write_text("")

    assert ask(tmp_path, [AMOUNTS], window, days, threads=1, memory="30MB")[AMOUNTS]
