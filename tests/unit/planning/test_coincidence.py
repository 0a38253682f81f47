"""Short runs of many workflows in one queue: what they are asked for together."""

import pytest

from moka.allocation.cluster import Cluster
from moka.allocation.offer import Offer
from moka.queues.resources import Resources
from moka.usage.records import APPLICATIONS, DAY, HOUR, PROFILES, Application, Interval, Usage
from moka.workflows.definitions import Workflow
from planning.planner import Request, plan
from tests.support import usage_history
from tests.support.plans import ETL1, settings

BEGAN = usage_history.BEGAN
MINUTE = HOUR // 60
DAYS = 7
MACHINE = Resources.of(cpu="10", memory="20Gi")
CORES, GIB = 2, 4


QUEUES = {
    "organizations": {
        "acme": {"projects": {"etl": {"tiers": {1: {"guaranteed": {"cpu": "1", "memory": "2Gi"}}}}}}
    }
}


def offer(name):
    return Offer(cluster=Cluster(name=name, instance=MACHINE, instances=10), settings=settings(QUEUES))


def written(folder, begins, minutes=10):
    """Each workflow runs for so many minutes a day. begins: by workflow, minutes after 2:00."""
    lasts = int(minutes * MINUTE)
    intervals, applications = [], []
    for workflow, minute in begins.items():
        for day in range(30 - DAYS, 30):
            began = BEGAN + day * DAY + 2 * HOUR + int(minute * MINUTE)
            common = {"cluster": "spark-a", "queue": ETL1, "workflow": workflow}
            times = {"submitted": began, "started": began, "finished": began + lasts}
            amounts = {"cpu": CORES * 1000, "memory": GIB * 1024, "gpu": 0}
            counts = {"applications": 1, "allocations": CORES}
            intervals.append(Interval(**common, began=began, ended=began + lasts, **amounts, **counts))
            used = Usage(
                kind="used",
                instance_type="",
                cpu=CORES * lasts,
                memory=GIB * 2**30 * lasts // 1000,
                gpu=0,
            )
            name = f"{workflow}-{day}"
            applications.append(
                Application(**common, application=name, **times, usage=(used,), outcome="succeeded")
            )
    usage_history.write(folder, PROFILES, intervals)
    usage_history.write(folder, APPLICATIONS, applications)


def planned(folder, names, moves=0, slo_hours=0.25):
    flow = Workflow(tier=1, slo_hours=slo_hours, owner="ada", project="acme.etl", cluster="spark-a")
    request = Request(
        offers=[offer("spark-a"), offer("spark-b")],
        workflows=dict.fromkeys(names, flow),
        until=BEGAN + 30 * DAY + 3 * HOUR,
        max_moves=moves,
        by="ada",
    )
    return plan(folder, request)


def amounts(result, cluster="spark-a", hour=2):
    return result.clusters[cluster].queues[ETL1].at(hour)


@pytest.fixture(scope="module")
def apart(tmp_path_factory):
    """A hundred workflows, one every half minute: 20 at a time have 40 of 100 cores."""
    folder = tmp_path_factory.mktemp("apart")
    begins = {f"flow-{number:03}": number / 2 for number in range(100)}
    written(folder, begins)
    return folder, begins


def test_a_queue_of_short_runs_at_different_minutes_asks_for_what_it_had_and_not_for_their_sum(apart):
    result = planned(*apart)

    # The sum would be 200 cores, and that of what their SLOs need 133.
    assert (amounts(result).guaranteed.cpu, amounts(result).guaranteed.memory) == ("40", "80Gi")
    # 20 at a time, and a quarter more.
    assert amounts(result).max_applications == 25
    assert "Workflows of tier 1 lack nothing of what they ask for." in result.says
    assert {(slo.in_force, slo.expected) for slo in result.slos.values()} == {(1.0, 1.0)}


def test_a_queue_whose_workflows_run_at_the_same_minute_asks_for_their_sum(tmp_path):
    begins = {f"flow-{number:03}": 20 for number in range(20)}
    written(tmp_path, begins)

    result = planned(tmp_path, begins)

    assert (amounts(result).guaranteed.cpu, amounts(result).guaranteed.memory) == ("40", "80Gi")
    assert amounts(result).max_applications == 25


def test_runs_too_short_to_count_by_themselves_count_together(tmp_path):
    """Each half a minute, of which 1% of an hour is more, and one after another."""
    begins = {f"flow-{number:03}": number / 2 for number in range(100)}
    written(tmp_path, begins, minutes=0.5)

    result = planned(tmp_path, begins, slo_hours=4)

    assert (amounts(result).guaranteed.cpu, amounts(result).guaranteed.memory) == ("2", "4Gi")


def test_workflows_that_move_ask_no_less_than_their_slos_need(apart):
    result = planned(*apart, moves=10)

    moved = len(result.routes)
    assert moved
    # Their part of the queue's 40 cores is 0.4; ten minutes of two cores in 15 minutes are four thirds.
    cores = Resources.of(cpu=amounts(result, "spark-b").guaranteed.cpu).cpu
    assert cores == pytest.approx(moved * 4000 / 3, abs=moved * 10)
    # They may all run at the same time there.
    assert amounts(result, "spark-b").max_applications == -(-moved * 5 // 4)
    assert any("estimate" in sentence for sentence in result.says)
    assert {slo.expected for slo in result.slos.values()} == {1.0}
