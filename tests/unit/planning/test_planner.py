"""A plan made of a history in a folder, with DuckDB and CP-SAT."""

from dataclasses import replace

import pytest

from moka.allocation import plan_checks
from moka.allocation.cluster import Cluster
from moka.allocation.offer import Offer
from moka.allocation.plan_slos import sentences
from moka.queues.resources import Resources
from moka.usage.records import APPLICATIONS, DAY, HOUR, PROFILES, Application, Interval, Usage
from moka.workflows.definitions import Workflow
from planning.planner import NothingKnown, Request, plan
from tests.support import usage_history
from tests.support.plans import ETL1, LAB3, amounts, settings
from tests.support.plans import plan as plan_in_force

BEGAN = usage_history.BEGAN
UNTIL = BEGAN + 30 * DAY + 3 * HOUR
MACHINE = Resources.of(cpu="10", memory="20Gi")


def offer(name):
    return Offer(cluster=Cluster(name=name, instance=MACHINE, instances=10), settings=settings())


@pytest.fixture(scope="module")
def history(tmp_path_factory):
    return written(tmp_path_factory.mktemp("history"))


def written(folder, failed=()):
    """Thirty days on which four workflows have 24 cores each at 2:00, all of them on one of two clusters.

    failed: workflows' numbers and days.
    """
    intervals, applications = [], []
    for number in range(4):
        for day in range(30):
            began = BEGAN + day * DAY + 2 * HOUR
            common = {"cluster": "spark-a", "queue": ETL1, "workflow": f"flow-{number}"}
            intervals.append(
                Interval(
                    **common,
                    began=began,
                    ended=began + HOUR,
                    cpu=24_000,
                    memory=24 * 1024,
                    gpu=0,
                    applications=1,
                    allocations=6,
                )
            )
            used = Usage(kind="used", instance_type="", cpu=24_000 * 3600, memory=24 * 2**30 * 3600)
            applications.append(
                Application(
                    **common,
                    application=f"run-{number}-{day}",
                    submitted=began,
                    started=began,
                    finished=began + HOUR,
                    usage=(used,),
                    outcome="failed" if (number, day) in failed else "succeeded",
                )
            )
    usage_history.write(folder, PROFILES, intervals)
    usage_history.write(folder, APPLICATIONS, applications)
    return folder


@pytest.fixture
def terms():
    """What is asked: two clusters of ten machines, and four workflows at home on the first."""
    flow = Workflow(tier=1, slo_hours=2, owner="ada", project="acme.etl", cluster="spark-a")
    return Request(
        offers=[offer("spark-a"), offer("spark-b")],
        workflows={f"flow-{number}": flow for number in range(4)},
        until=UNTIL,
        max_moves=3,
        by="ada",
    )


def test_workflows_are_spread_and_get_what_they_used_where_they_go(history, terms):
    steps = []

    result = plan(history, terms, steps.append)

    # 96 of 100 cores at 2:00 are more than the 90 that tiers 1 and 2 may have: two go, and both have 48.
    assert len(result.routes) == 2 and {route.cluster for route in result.routes.values()} == {"spark-b"}
    for name in ("spark-a", "spark-b"):
        queue = result.clusters[name].queues[ETL1]
        assert (queue.at(2).guaranteed.cpu, queue.at(2).guaranteed.memory) == ("48", "48Gi")
    # Of spark-b nothing is recorded, so it keeps what the settings guarantee.
    assert result.clusters["spark-a"].queues[ETL1].at(12).guaranteed is None
    assert result.clusters["spark-b"].queues[ETL1].at(12).guaranteed.cpu == "20"
    assert result.clusters["spark-b"].queues[LAB3].at(2).guaranteed.cpu == "20"
    assert plan_checks.mistakes(result, {offer.name: offer.settings for offer in terms.offers}) == []
    assert result.basis.engine == "cp-sat" and result.basis.gap <= 0.01
    assert steps == [
        "reading 30 days of 2 clusters",
        "placing 4 workflows with cp-sat",
        "replaying 28 runs of the last 7 days with what is in force",
        "replaying them with the plan",
    ]


def test_one_cluster_is_told_of_as_one(history, terms):
    steps = []
    one = replace(terms, offers=terms.offers[:1], max_moves=0)

    plan(history, one, steps.append)

    assert steps[0] == "reading 30 days of 1 cluster"


def test_it_says_which_part_of_runs_was_in_time_and_would_be(history, terms):
    result = plan(history, terms)

    # Each run took one of the two hours that it has, of 96 cores that the clusters have at once.
    assert {
        name: (one.tier, one.before, one.in_force, one.expected) for name, one in result.slos.items()
    } == {f"flow-{number}": (1, 1.0, 1.0, 1.0) for number in range(4)}
    assert any("a replay of the 28 runs of the last 7 days" in sentence for sentence in result.says)


def test_the_plan_in_force_is_what_it_is_compared_with(history, terms):
    flow = terms.workflows["flow-0"].model_copy(update={"slo_hours": 1})
    terms = replace(terms, workflows={f"flow-{number}": flow for number in range(4)})
    # One job at a time in the queue of all four on one cluster: three of four wait for an hour or more.
    one_job = plan_in_force({ETL1: [amounts("20", "40Gi", 1)]})

    result = plan(history, replace(terms, in_force=one_job))

    shares = [one.in_force for _, one in sorted(result.slos.items())]
    assert sorted(shares) == [0.0, 0.0, 0.0, 1.0]
    assert all(slo.before == slo.expected == 1 for slo in result.slos.values())
    assert list(sentences(result)) == ["tier 1: 1 of 4 workflows keep their SLO, 4 with this plan"]


def test_workflows_that_miss_their_slo_for_runs_that_failed_are_counted_apart(tmp_path, terms):
    slow = terms.workflows["flow-3"].model_copy(update={"slo_hours": 0.5})
    terms = replace(terms, workflows={**terms.workflows, "flow-3": slow})
    # Nine of ten in time are enough of a month, but of seven days not one may fail.
    folder = written(tmp_path, failed={(0, 29), (1, 1), (3, 29)})

    result = plan(folder, terms)

    assert (
        "2 workflows would not keep their SLO with it, 1 of them for runs that failed: no plan mends that."
        in result.says
    )


def test_workflows_without_runs_in_the_last_days_have_no_slo_expected(history, terms):
    flow = terms.workflows["flow-0"]

    result = plan(history, replace(terms, workflows={**terms.workflows, "yearly": flow}))

    assert set(result.slos) == set(terms.workflows)


def test_the_same_history_and_seed_give_the_same_plan(history, terms):
    assert plan(history, terms) == plan(history, terms)


def test_the_percentile_algorithm_moves_nothing_and_gives_reasons(history, terms):
    result = plan(history, replace(terms, engine="percentile"))

    assert result.routes == {} and result.basis.engine == "percentile"
    queue = result.clusters["spark-a"].queues[ETL1]
    assert queue.at(2) == queue.at(12)
    assert any("of the 30.0 h in which it had something in use" in reason for reason in queue.reasons)


def test_a_workflow_that_somebody_has_sent_somewhere_stays_there_and_the_plan_has_no_route_of_it(
    history, terms
):
    result = plan(history, replace(terms, routes={"flow-0": "spark-b"}, fixed=frozenset({"flow-0"})))

    assert "flow-0" not in result.routes
    # Its cores are kept where it goes.
    assert result.clusters["spark-b"].queues[ETL1].at(2).guaranteed.cpu in ("24", "48")


def test_nothing_moves_beyond_what_may(history, terms):
    result = plan(history, replace(terms, max_moves=1))

    assert len(result.routes) <= 1


def test_a_time_without_any_record_is_told(history, terms):
    with pytest.raises(NothingKnown, match=r"^Nothing was recorded from 2026-01-01 to 2026-01-30: "):
        plan(history, replace(terms, until=UNTIL + 61 * DAY))


def test_a_day_without_records_is_told(history, terms):
    result = plan(history, replace(terms, until=UNTIL + DAY))

    assert any("no records of 1 of 30 days" in sentence for sentence in result.says)
