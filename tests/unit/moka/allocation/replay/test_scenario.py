"""Recorded runs replayed where a plan has their workflows, with what the queues have there."""

from datetime import date

import pytest

from moka.allocation.cluster import Cluster
from moka.allocation.offer import Offer
from moka.allocation.replay.runs import RecordedRuns, Run
from moka.allocation.replay.scenario import Scenario, queue_hours
from moka.allocation.replay.slo import workflow_replays
from moka.queues.resources import Resources
from moka.workflows.definitions import Workflow
from tests.support.plans import ETL1, ETL2, LAB3, SCHEDULE, amounts, plan, settings

DAY = date(2026, 11, 26)
MIDNIGHT = 1_764_115_200_000
HOUR = 3_600_000
MACHINE = Resources.of(cpu="10", memory="20Gi")
DAILY = Workflow(tier=1, slo_hours=1, owner="ada", project="acme.etl", cluster="spark-a")


def offer(name="spark-a", **changes):
    return Offer(cluster=Cluster(name=name, instance=MACHINE, instances=10), settings=settings(**changes))


def run(workflow="daily", queue=ETL1, at=0, pods=10, **changes):
    """An hour on a machine a pod."""
    return Run(
        workflow=workflow,
        queue=queue,
        submitted=MIDNIGHT + at,
        pods=pods,
        cpu=10_000,
        memory=20 * 1024,
        lasts=HOUR,
        **changes,
    )


def replays(runs, placements, made=None, workflows=None):
    """Workflow -> its replay. runs: on spark-a."""
    offers = [offer("spark-a"), offer("spark-b")]
    scenario = Scenario(
        clusters=[one.fleet_cluster(DAY) for one in offers],
        queues=queue_hours(made, offers, DAY),
        placements=placements,
    )
    known = workflows or {"daily": DAILY, "other": DAILY}
    recorded = RecordedRuns(tuple(("spark-a", one) for one in runs))
    outcomes = scenario.outcomes(recorded, known, until=MIDNIGHT + 24 * HOUR)
    return {
        one.workflow: one
        for one in workflow_replays(
            outcomes, dict.fromkeys(known, 1.0), {name: one.tier for name, one in known.items()}
        )
    }


def test_workflows_that_share_a_cluster_wait_for_each_other_and_elsewhere_they_do_not():
    runs = [run(), run("other", at=1)]

    together = replays(runs, {"daily": "spark-a", "other": "spark-a"})
    apart = replays(runs, {"daily": "spark-a", "other": "spark-b"})

    assert [together[name].in_time for name in ("daily", "other")] == [1, 0]
    assert [apart[name].in_time for name in ("daily", "other")] == [1, 1]


def test_a_workflow_without_a_placement_runs_where_it_was_recorded():
    runs = [run(), run("strange", at=-1)]

    assert replays(runs, {"daily": "spark-a"})["daily"].in_time == 0
    assert replays(runs, {"daily": "spark-b"})["daily"].in_time == 1


def test_a_workflow_runs_in_the_queue_that_it_has_today():
    # Tier 2, in which it ran, has 60 cores at the most: not enough for its ten machines.
    runs = [run(queue=ETL2)]

    assert replays(runs, {})["daily"].in_time == 0
    assert replays(runs, {"daily": "spark-a"})["daily"].in_time == 1


def test_runs_of_queues_that_there_are_no_more_take_nothing():
    gone = run("strange", queue="root.acme.gone.tier1", at=-1)
    strange = run("strange", queue="root.default", at=-1)

    assert replays([gone, strange, run()], {"daily": "spark-a"})["daily"].in_time == 1


@pytest.mark.parametrize(
    ("outcome", "runs", "in_time"), [("completed", 2, 2), ("failed", 2, 1), ("stopped", 1, 1)]
)
def test_what_failed_is_never_in_time_and_what_was_stopped_is_not_judged(outcome, runs, in_time):
    found = replays([run(pods=1), run(pods=1, outcome=outcome)], {"daily": "spark-a"})

    assert (found["daily"].runs, found["daily"].in_time) == (runs, in_time)
    assert replays([run(outcome="stopped")], {"daily": "spark-a"}) == {}


def test_queues_have_what_the_plan_gives_them_within_the_settings_by_the_hour():
    one = offer(schedule=SCHEDULE)
    by_hour = [amounts("50", "100Gi", 3) if hour < 12 else amounts("10", "20Gi") for hour in range(24)]

    found = {one.queue: one.hours for one in queue_hours(plan({ETL1: by_hour}), [one], DAY)}

    assert set(found) == {ETL1, ETL2, LAB3}
    # From 6:00 there are eight machines of ten, and the others keep 50 of their 80 cores.
    assert [found[ETL1][hour].guaranteed.cpu for hour in (2, 7, 13)] == [50_000, 30_000, 10_000]
    assert found[ETL1][2].max_applications == 3 and found[ETL2][2].maximum.cpu == 60_000
