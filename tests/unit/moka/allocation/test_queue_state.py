"""What is in force of a plan where settings have changed, or leave it no room."""

import pytest

from moka.allocation.queue_amounts import AmountsOfHour
from moka.allocation.queue_state import state_of
from moka.allocation.queues_in_force import in_force
from tests.support.plans import ETL1, ETL2, amounts, plan, settings

GUARANTEE = {"guaranteed": {"cpu": "20", "memory": "40Gi"}}


def guaranteed(state):
    return {path: queue.guaranteed and queue.guaranteed.quantities() for path, queue in state.tree.leaves()}


def jobs(state):
    return {path: queue.max_applications for path, queue in state.tree.leaves()}


def project_settings(tier_1=None, tier_2=None, **project):
    """Settings of one project with these tiers."""
    tiers = {
        1: GUARANTEE | (tier_1 or {}),
        2: {"guaranteed": {"cpu": "30", "memory": "60Gi"}} | (tier_2 or {}),
    }
    return settings({"organizations": {"acme": {"projects": {"etl": {"tiers": tiers, **project}}}}})


@pytest.mark.parametrize(
    ("of", "planned", "number", "message"),
    [
        (
            project_settings(
                tier_2={"max_applications": 40, "limits": [{"users": ["*"], "max_applications": 10}]}
            ),
            3,
            10,
            "is 3, fewer than the 10 that its limits let a user have",
        ),
        (
            project_settings(tier_2={"max_applications": 14}, max_applications=20),
            18,
            14,
            "is 18, more than the 14 that leave room for tier 1 in root.acme.etl",
        ),
        (
            project_settings(
                tier_2={"max_applications": 8}, limits=[{"users": ["ann"], "max_applications": 9}]
            ),
            9,
            8,
            "is 9, more than the 8 that leave room for tier 1 in root.acme.etl",
        ),
        (project_settings(tier_2={"max_applications": 14}), 18, 18, None),
    ],
    ids=["limits of users", "a project's jobs", "a user's jobs in a project", "nothing shared"],
)
def test_jobs_at_a_time_are_such_as_the_scheduler_takes(of, planned, number, message):
    document = plan({ETL2: [amounts("30", "60Gi", planned)]}, of)

    state = state_of(of, document.at("spark-a", 0), of.calendar.all_nodes)

    assert jobs(state)[ETL2] == number
    assert not state.refused
    assert [str(one) for one in state.lowered if message and message in str(one)] == list(
        map(str, state.lowered)
    )


def test_what_queues_beside_a_plan_are_guaranteed_above_their_tiers_counts():
    of = settings(
        {
            "organizations": {
                "acme": {
                    "projects": {"etl": {"tiers": {1: {"guaranteed": {"cpu": "20", "memory": "40Gi"}}}}}
                },
                "ml": {
                    "guaranteed": {"cpu": "40", "memory": "80Gi"},
                    "projects": {"lab": {"tiers": {3: {}}}},
                },
            }
        }
    )
    document = plan({ETL1: [amounts("100", "200Gi")]}, of)

    state = state_of(of, document.at("spark-a", 0), of.calendar.all_nodes)

    assert guaranteed(state)[ETL1] == {"cpu": "60", "memory": "120Gi"}
    assert "guaranteed 140 of cpu together, more than the capacity of the cluster, 100" in str(
        state.lowered[0]
    )


def test_a_queue_that_gives_way_keeps_a_core_s_thousandth_beside_its_gpus():
    with_gpus = {"guaranteed": {"cpu": "1", "memory": "2Gi", "gpu": 4}}
    of = settings(
        {
            "organizations": {
                "acme": {
                    "maximum": {"cpu": "50", "memory": "100Gi"},
                    "projects": {
                        "etl": {"tiers": {1: {}, 3: {"guaranteed": {"cpu": "1", "memory": "2Gi", "gpu": 4}}}}
                    },
                }
            }
        }
    )
    tier_3 = "root.acme.etl.tier3"
    document = plan({ETL1: [amounts("50", "50Gi")], tier_3: [with_gpus]}, of)

    state = state_of(of, document.at("spark-a", 0), of.calendar.all_nodes)

    assert guaranteed(state)[tier_3] == {"cpu": "1m", "memory": "2Gi", "gpu": "4"}
    assert not state.refused


def test_where_nothing_of_a_plan_can_be_in_force_the_settings_are():
    """A user may have 20 cores of a queue that the plan leaves 10."""
    of = project_settings(tier_2={"limits": [{"users": ["*"], "maximum": {"cpu": "20"}}]})
    row = {"guaranteed": {"cpu": "5", "memory": "10Gi"}, "maximum": {"cpu": "10"}}

    state = state_of(of, plan({ETL2: [row]}, of).at("spark-a", 0), of.calendar.all_nodes)

    assert state.tree == in_force(of, AmountsOfHour(), of.calendar.all_nodes).tree
    [refusal] = state.refused
    assert "is not in force at all, as with it root.acme.etl.tier2: limits.0.maximum.cpu is 20" in str(
        refusal
    )
