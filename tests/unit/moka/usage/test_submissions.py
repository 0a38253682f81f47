"""Runs one by one, as their replay needs them, from what was recorded of them."""

import pytest

from moka.allocation import answers
from moka.allocation.cluster import Cluster
from moka.allocation.replay.runs import recorded_runs
from moka.allocation.rules import Rules
from moka.queues.resources import Resources
from moka.usage.questions import SUBMISSIONS
from moka.usage.records import APPLICATIONS, DAY, HOUR, PROFILES, Application, Interval, Usage
from tests.support.usage_history import BEGAN, ask, write

MACHINE = Resources.of(cpu="16", memory="64Gi")
WINDOW = answers.window(
    [Cluster(name="batch-a", instance=MACHINE, instances=10)], BEGAN + 30 * DAY + HOUR, Rules()
)
QUEUE = "root.acme.etl.tier1"


def run(number, pods=4, minutes=30, **changes):
    """One with pods of 2 cores and 8 GiB, which waited for a minute."""
    started = BEGAN + 60_000
    used = Usage(
        kind="used",
        instance_type="m7g.4xlarge",
        cpu=pods * 2000 * minutes * 60,
        memory=pods * 8 * 2**30 * minutes * 60,
    )
    values = {"cluster": "batch-a", "application": f"daily-{number}", "submitted": BEGAN, "workflow": "daily"}
    values |= {"queue": QUEUE, "started": started, "finished": started + minutes * 60_000, "usage": (used,)}
    return Application(**{**values, "outcome": "succeeded", **changes})


def profile(pods, hour=0):
    return Interval(
        cluster="batch-a",
        queue=QUEUE,
        workflow="daily",
        began=BEGAN + hour * HOUR,
        ended=BEGAN + (hour + 1) * HOUR,
        cpu=pods * 2000,
        memory=pods * 8 * 1024,
        gpu=0,
        applications=1,
        allocations=pods,
    )


@pytest.fixture
def recorded(tmp_path):
    """The runs of a history of some applications, and of pods of one size."""

    def recorded(*applications):
        write(tmp_path, APPLICATIONS, applications)
        write(tmp_path, PROFILES, [profile(3), profile(9, hour=5)])
        return recorded_runs(ask(tmp_path, SUBMISSIONS, WINDOW))

    return recorded


def test_a_run_has_as_many_pods_of_its_workflow_s_size_as_make_what_it_used(recorded):
    [(cluster, found)] = recorded(run(1)).runs

    assert cluster == "batch-a"
    assert (found.workflow, found.queue, found.submitted) == ("daily", QUEUE, BEGAN)
    assert (found.pods, found.cpu, found.memory) == (4, 2000, 8 * 1024)
    assert (found.lasts, found.outcome) == (30 * 60_000, "completed")


def test_one_that_grew_and_shrank_has_its_pods_on_average(recorded):
    half = run(1, pods=1, minutes=30).usage[0]
    [(_, found)] = recorded(run(2, pods=7, minutes=30, usage=(run(1, 7).usage[0], half))).runs

    # The same kind and type twice: the larger amount counts.
    assert found.pods == 7
    assert recorded(run(3, pods=7, minutes=60, usage=run(1, 7, 30).usage)).runs[-1][1].pods == 4


def test_records_of_one_run_are_one_run(recorded):
    summary = run(1, outcome="completed", sources=("summary",))
    archer = run(1, outcome="failed", usage=(), started=None, sources=("archer",))

    [(_, found)] = recorded(summary, archer).runs

    assert (found.pods, found.outcome) == (4, "failed")


@pytest.mark.parametrize(
    "changes",
    [
        {"usage": ()},
        {"started": None},
        {"finished": None, "outcome": ""},
        {"finished": BEGAN},
        {"workflow": "of no profile"},
    ],
)
def test_of_what_is_not_known_there_is_only_the_number(recorded, changes):
    found = recorded(run(1, **changes), run(2))

    assert len(found.runs) == 1 and found.unknown == 1


def test_runs_before_the_window_are_not_asked_for(recorded):
    assert recorded(run(1, submitted=BEGAN - 1)).runs == ()
