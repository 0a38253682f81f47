"""From what workflows used, by a fleet and its answer, to a plan that Archer takes."""

from datetime import UTC, date, datetime

import pytest

from moka.allocation import plan_checks
from moka.allocation.cluster import Cluster
from moka.allocation.fleet import HOURS
from moka.allocation.fleet_of_history import History, fleet_of
from moka.allocation.fleet_percentile import at_home
from moka.allocation.offer import Offer
from moka.allocation.plan_of_fleet import Basis, plan_of
from moka.queues.resources import Resources
from moka.usage.records import HOUR
from moka.workflows.definitions import Workflow
from tests.support import plans
from tests.support.plans import ETL1, ETL2, LAB3, QUEUES, SCHEDULE, settings

DAY = date(2026, 11, 26)
BASIS = Basis(
    began=0,
    ended=30 * 24 * HOUR,
    seed=1,
    revision=7,
    by="ada",
    made=datetime(2026, 11, 26, 3, tzinfo=UTC),
)
NOTHING = History(demands=[], needs=[])


def offer(name="spark-a", **changes):
    """Ten machines of 10 cores and 20 GiB."""
    machine = Resources.of(cpu="10", memory="20Gi")
    return Offer(cluster=Cluster(name=name, instance=machine, instances=10), settings=settings(**changes))


def workflow(**changes):
    values = {"tier": 1, "slo_hours": 2, "owner": "ada", "project": "acme.etl", "cluster": "spark-a"}
    return Workflow.model_validate(values | changes)


def demand(workflow="daily", hour=2, share=99, cores=8, gib=16, **changes):
    row = {"cluster": "spark-a", "queue": ETL1, "workflow": workflow, "hour": hour, "share": share}
    return row | {"cpu": cores * 1000, "memory": gib * 1024, "applications": 2} | changes


def known(demands, offers=None, workflows=None, routes=None, needs=(), in_force=None):
    return fleet_of(
        offers or [offer()],
        workflows or {"daily": workflow()},
        routes or {},
        History(demands=demands, needs=list(needs)),
        day=DAY,
        max_moves=0,
        in_force=in_force,
    )


def planned(fleet, offers=None, workflows=None):
    offers = offers or [offer()]
    answer = at_home(fleet, {})
    return plan_of(answer, fleet, offers, workflows or {"daily": workflow()}, BASIS)


def test_a_workflow_asks_for_what_covers_its_tier_s_share_in_each_hour():
    rows = [demand(share=95, cores=4), demand(share=99, cores=8), demand(hour=3, share=95, cores=1)]

    [one] = known(rows).fleet.workflows

    assert (one.name, one.queue, one.home) == ("daily", ETL1, "spark-a")
    # Tier 1 has 99%; of the third hour there is no more than 95%.
    assert [one.demand[hour].cpu for hour in (1, 2, 3)] == [0, 8000, 1000]
    assert one.applications == (0, 0, 2, 2, *[0] * 20)


def test_it_asks_for_no_less_than_its_slo_needs_in_the_hours_in_which_it_runs():
    need = {"cluster": "spark-a", "queue": ETL1, "workflow": "daily", "machine_millis": 6 * 1000 * HOUR}

    [one] = known([demand()], needs=[need]).fleet.workflows

    # Six machine-hours in two hours are three machines.
    assert one.demand[2] == Resources.of(cpu="30", memory="60Gi")
    assert one.demand[1] == Resources(cpu=0, memory=0)


def test_workflows_of_a_queue_ask_together_for_what_it_needed():
    workflows = {"daily": workflow(), "weekly": workflow()}
    rows = [
        demand(None, cores=9, gib=6, applications=3),
        demand(cores=8, gib=4),
        demand("weekly", cores=4, gib=2),
    ]

    daily, weekly = known(rows, workflows=workflows).fleet.workflows

    # Nine of twelve cores; in memory, they ran at the same time.
    assert (daily.demand[2], weekly.demand[2]) == (
        Resources.of(cpu="6", memory="4Gi"),
        Resources.of(cpu="3", memory="2Gi"),
    )
    # Three of four at a time, half of them each.
    assert (daily.coincident[2], weekly.coincident[2]) == (1500, 1500)
    assert daily.applications[2] == 2


@pytest.mark.parametrize(
    ("in_settings", "in_plan", "expected"),
    [
        (None, None, 4),  # Three at a time, and a quarter more.
        (4, None, 4),
        (3, None, 5),  # It was full: four by themselves, and a quarter more.
        (None, 3, 5),
        (3, 9, 5),  # The plan is no older than a night, and the history is.
        (9, 4, 4),
    ],
)
def test_a_queue_that_was_full_may_run_what_its_workflows_ran_by_themselves(in_settings, in_plan, expected):
    tiers = {1: plans.amounts("20", "40Gi", in_settings)}
    offers = [offer(queues={"organizations": {"acme": {"projects": {"etl": {"tiers": tiers}}}}})]
    in_force = plans.plan({ETL1: [plans.amounts("8", "16Gi", in_plan)]}) if in_plan else None
    workflows = {"daily": workflow(), "weekly": workflow()}
    rows = [demand(None, applications=3), demand(), demand("weekly")]

    result = known(rows, offers, workflows, in_force=in_force)

    queue = planned(result.fleet, offers, workflows).clusters["spark-a"].queues[ETL1]
    assert queue.at(2).max_applications == expected
    says = (
        "Queues ran as many jobs at a time as they may, so how many they need is an estimate: "
        f"{ETL1} on spark-a."
    )
    assert (says in result.says) == (expected == 5)


def test_a_workflow_that_did_not_run_yet_where_it_goes_asks_there_what_its_slo_needs():
    offers, workflows = [offer(), offer("spark-b")], {"daily": workflow(), "weekly": workflow()}
    rows = [demand(None, cores=9), demand(cores=8), demand("weekly", cores=10)]
    need = {"cluster": "spark-a", "queue": ETL1, "workflow": "daily", "machine_millis": 1000 * HOUR}

    daily, weekly = known(rows, offers, workflows, routes={"daily": "spark-b"}, needs=[need]).fleet.workflows

    # Half a machine for two hours, and nine of eighteen cores, of which it has eight.
    assert daily.demand_on("spark-b")[2].cpu == 5000
    assert daily.applications_on("spark-b")[2] == 2000
    assert weekly.demand_on("spark-a")[2].cpu == 5000


def test_a_route_says_where_a_workflow_runs_and_the_hours_of_a_cluster_are_its_schedule_s():
    offers = [offer(schedule=SCHEDULE), offer("spark-b")]

    fleet = known([demand()], offers, routes={"daily": "spark-b"}).fleet

    assert fleet.workflows[0].home == "spark-b"
    # Eight machines from 6:00 to 20:00, ten at night.
    assert [fleet.clusters[0].instances(hour) for hour in (5, 6, 19, 20)] == [10, 8, 8, 10]
    assert {fleet.clusters[1].instances(hour) for hour in range(HOURS)} == {10}


def test_a_plan_goes_by_the_day_of_a_week_with_most_machines():
    """It may hold on Monday, though it was made for Saturday."""
    schedule = {
        "weekend": {"cron": "0 0 * * SAT", "maximum": 2},
        "week": {"cron": "0 0 * * MON", "maximum": 10},
    }

    fleet = known([demand()], [offer(schedule=schedule)]).fleet

    assert {fleet.clusters[0].instances(hour) for hour in range(HOURS)} == {10}


@pytest.mark.parametrize(
    ("projects", "schedule"),
    [
        (4, None),
        (1, {"night": {"cron": "0 20 * * *", "maximum": 1}, "day": {"cron": "0 6 * * *", "maximum": 10}}),
    ],
    ids=["more queues than machines", "one machine at night"],
)
def test_queues_without_history_share_what_a_small_cluster_has(projects, schedule):
    tiers = {tier: {"guaranteed": {"cpu": "1", "memory": "2Gi"}} for tier in (1, 2, 3)}
    names = ["etl", *(f"other{number}" for number in range(1, projects))]
    queues = {"organizations": {"acme": {"projects": {name: {"tiers": tiers} for name in names}}}}
    offers = [offer(queues=queues, schedule=schedule)]

    result = known([demand()], offers)
    plan = planned(result.fleet, offers)

    floors = {queue.path: queue.floors["spark-a"] for queue in result.fleet.queues if queue.floors}
    assert len(floors) == 3 * projects - 1
    # Half of nine tenths of the machines that there are at the least, and the same to each.
    least = min(map(result.fleet.clusters[0].instances, range(HOURS)))
    assert len({floor.cpu for floor in floors.values()}) == 1
    assert 0 < sum(floor.cpu for floor in floors.values()) <= least * 4_500
    assert plan_checks.mistakes(plan, {"spark-a": offers[0].settings}) == []
    assert any("keep 1 machine of each cluster, or a part" in sentence for sentence in result.says)


def test_runs_of_no_known_workflow_keep_what_they_have_and_stay():
    result = known([demand(), demand("", cores=3), demand("ad-hoc", queue=LAB3, share=90)])

    others = [one for one in result.fleet.workflows if one.pinned]
    assert {(one.queue, one.home) for one in others} == {(ETL1, "spark-a"), (LAB3, "spark-a")}
    assert any(
        sentence.startswith("2 kinds of runs are of no workflow that is known") for sentence in result.says
    )


@pytest.mark.parametrize(
    ("workflows", "demands", "says"),
    [
        (
            {"daily": workflow(project="acme.gone")},
            [],
            "Workflows whose queue is not in the settings are left out: daily.",
        ),
        (
            {"daily": workflow(cluster="far")},
            [],
            "Workflows whose home is no cluster of the settings are left out: daily.",
        ),
        ({"daily": workflow()}, [], "Of 1 workflows there are no runs, so nothing is kept for them: daily."),
        (
            {"daily": workflow()},
            [demand(queue="root.acme.old.tier1", workflow="x")],
            "What ran in queues that there are no more does not count: root.acme.old.tier1.",
        ),
    ],
)
def test_what_does_not_count_is_told(workflows, demands, says):
    assert says in known(demands, workflows=workflows).says


def test_a_plan_has_amounts_by_the_hour_that_the_settings_take():
    fleet = known([demand(), demand(hour=3, cores=4, gib=8)]).fleet

    plan = planned(fleet)

    queue = plan.clusters["spark-a"].queues[ETL1]
    assert [queue.at(hour).guaranteed and queue.at(hour).guaranteed.cpu for hour in (1, 2, 3)] == [
        None,
        "8",
        "4",
    ]
    # As many as in the hour with most of them, and a quarter more: who is late is not to wait for a day.
    assert {queue.at(hour).max_applications for hour in range(HOURS)} == {3}
    assert plan.basis.revision == 7 and plan.id.startswith("2026-11-26-percentile-")
    assert plan_checks.mistakes(plan, {"spark-a": offer().settings}) == []


def test_where_queues_above_have_less_the_lower_tier_gives_way_and_that_is_told():
    rows = [demand(cores=50, gib=20), demand("weekly", queue=ETL2, cores=60, gib=20)]
    workflows = {"daily": workflow(), "weekly": workflow(tier=2)}
    # Tiers 1 and 2 of acme may have 90 of 100 cores together.
    fleet = known(rows, workflows=workflows).fleet

    plan = planned(fleet, workflows=workflows)

    queues = plan.clusters["spark-a"].queues
    assert (queues[ETL1].at(2).guaranteed.cpu, queues[ETL2].at(2).guaranteed.cpu) == ("50", "40")
    # What nobody used has a machine, not the two of the settings.
    assert queues[LAB3].at(2).guaranteed.model_dump(exclude_none=True) == {"cpu": "10", "memory": "20Gi"}
    assert queues[LAB3].at(2).max_applications is None
    assert plan_checks.mistakes(plan, {"spark-a": offer().settings}) == []


def test_the_same_plan_made_again_has_the_same_id_and_another_has_another():
    fleet, other = known([demand()]).fleet, known([demand(cores=9)]).fleet

    assert planned(fleet).id == planned(fleet).id != planned(other).id


def test_gpus_stay_as_the_settings_have_them():
    queues = {
        "organizations": {
            "acme": {
                "projects": {"etl": {"tiers": {1: {"guaranteed": {"cpu": "20", "memory": "40Gi", "gpu": 4}}}}}
            }
        }
    }
    offers = [offer(queues=queues)]

    plan = planned(known([demand()], offers).fleet, offers)

    assert queues != QUEUES
    hours = plan.clusters["spark-a"].queues[ETL1]
    assert hours.at(2).guaranteed.model_dump() == {"cpu": "8", "memory": "16Gi", "gpu": 4}
    assert hours.at(5).guaranteed.gpu == 4
