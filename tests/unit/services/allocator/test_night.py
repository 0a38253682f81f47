"""The work of a night in this process, with Archer's service on a real PostgreSQL and moto's S3."""

from datetime import UTC, datetime, timedelta

import boto3
import pytest

from moka.allocation.fleet_percentile import at_home
from moka.allocation.plan_bounds import PlanBounds
from services.allocator import night
from services.allocator.desk import plan_standing
from services.allocator.failure import Failure
from tests.support.allocator_stage import WORKFLOWS

LAST_NIGHT = datetime.now(UTC) - timedelta(hours=1)
TO_COME = datetime.now(UTC) + timedelta(days=1)
"""Every plan that there is was made before."""

BY_PEOPLE = PlanBounds(most_moves=50)


def states(archer):
    return {plan["id"]: plan["state"] for plan in archer.list_plans()["plans"]}


def test_without_leave_to_apply_it_is_proposed_and_once_there_not_made_again(beside):
    def work(archer, configuration):
        first_night = night.make(configuration, LAST_NIGHT)
        return first_night, night.make(configuration, LAST_NIGHT), states(archer), plan_standing(archer)

    first_night, again, plans, has = beside(work, bounds=BY_PEOPLE)
    assert (first_night.result, again.result) == ("proposed", None)
    assert plans == {first_night.plan: "proposed"} and again.plan == first_night.plan == has.last_plan.id
    assert first_night.proposed == again.proposed == has.last_plan.proposed
    assert first_night.gap is not None and first_night.gap <= 0.01
    assert first_night.seconds.keys() == {"archer", "history", "search"} and again.seconds.keys() == {
        "archer"
    }


def test_one_that_was_ended_before_it_was_to_take_effect_asks_for_that_when_it_is_done_again(beside):
    """Of clusters whose settings leave it to people, as Archer knows them."""

    def work(archer, configuration):
        first_night = night.make(configuration, LAST_NIGHT)
        bounds = PlanBounds(by_itself=True)
        again = night.make(configuration.model_copy(update={"bounds": bounds}), LAST_NIGHT)
        return first_night, again, states(archer)

    first_night, again, plans = beside(work, bounds=BY_PEOPLE)
    assert again.result == "waits" and again.refused == ("waits-for-a-person",)
    assert again.says == (
        "allocation.by_itself: is false in the settings, so a person has to apply it: `moka plan apply`",
    )
    assert plans == {first_night.plan: "proposed"}


def test_the_same_plan_made_again_is_known_by_its_id(beside):
    """Two are due on a day, of the same history."""

    def work(archer, configuration):
        first = night.make(configuration, LAST_NIGHT)
        return first, night.make(configuration, TO_COME), states(archer)

    first, second, plans = beside(work, bounds=BY_PEOPLE)
    assert second.plan == first.plan and plans == {first.plan: "proposed"}
    assert second.seconds.keys() == {"archer", "history", "search"}


def test_a_plan_that_somebody_refused_is_not_made_again(beside):
    def work(archer, configuration):
        first_night = night.make(configuration, LAST_NIGHT)
        archer.refuse_plan(first_night.plan, "too much")
        return night.make(configuration, LAST_NIGHT), states(archer)

    again, plans = beside(work, bounds=PlanBounds(by_itself=True))
    assert again.result is None and plans == {again.plan: "refused"}


def test_what_somebody_did_meanwhile_stays_in_force(beside):
    def work(archer, configuration):
        first_night = night.make(configuration, LAST_NIGHT)
        archer.apply_plan(first_night.plan, archer.list_plans()["in_force"]["number"], "looked at")
        archer.withdraw_plan(archer.list_plans()["in_force"]["number"], "not for me")
        return night.make(configuration, LAST_NIGHT), archer.list_plans()["in_force"]

    again, in_force = beside(work, bounds=PlanBounds(by_itself=True))
    assert again.result is None and in_force["plan"] is None and in_force["kind"] == "withdrawal"


def test_unknown_workflows_are_proposed_once(beside):
    def work(archer, configuration):
        first = night.make(configuration, LAST_NIGHT).workflows
        second = night.make(configuration, TO_COME).workflows
        return (
            first,
            second,
            {workflow["workflow"]: workflow for workflow in archer.list_workflows(proposed=True)},
        )

    known = {name: one for name, one in WORKFLOWS.items() if name != "workflow-3"}
    first, second, proposed = beside(work, known=known, bounds=BY_PEOPLE)
    assert (first, second) == (1, 0)
    assert proposed.keys() == {"workflow-3"}


def test_on_a_platform_where_nobody_told_of_any_workflow_queues_get_what_they_used(beside):
    first_night, plans = beside(
        lambda archer, configuration: (night.make(configuration, LAST_NIGHT), archer.list_plans()["plans"]),
        known={},
        bounds=BY_PEOPLE,
    )

    assert first_night.result == "proposed" and len(plans) == 1
    assert first_night.workflows > 20


@pytest.mark.parametrize(
    ("changes", "why", "says"),
    [
        ({"archer": {"url": "http://127.0.0.1:9", "region": "us-east-1"}}, "archer-away", "is not reached"),
        (
            {"history": {"bucket": "not-there", "region": "us-east-1"}},
            "bucket",
            "s3://not-there cannot be",
        ),
    ],
)
def test_what_goes_wrong_is_a_sentence_and_leaves_what_is_in_force(beside, changes, why, says):
    def work(archer, configuration):
        with pytest.raises(Failure) as caught:
            night.make(configuration, LAST_NIGHT)
        return caught.value, archer.list_plans()

    failure, plans = beside(work, **changes)
    assert failure.why == why and says in str(failure)
    assert plans["plans"] == [] and plans["in_force"]["number"] == 0


def test_where_nothing_better_is_found_nothing_is_proposed(beside, monkeypatch):
    # What the solver answers then: planning/solver.py.
    monkeypatch.setattr("planning.planner.solve", lambda fleet, allocations, _: at_home(fleet, allocations))

    def work(archer, configuration):
        with pytest.raises(Failure, match="the search found nothing better than what is in force") as caught:
            night.make(configuration, LAST_NIGHT)
        return caught.value.why, archer.list_plans()["plans"]

    assert beside(work) == ("search", [])


def test_a_new_platform_says_that_nothing_was_recorded(beside, bucket):
    boto3.client("s3", region_name="us-east-1").create_bucket(Bucket="empty")

    def work(archer, configuration):
        with pytest.raises(Failure, match=r"Nothing was recorded from .*: a plan needs a history"):
            night.make(configuration, LAST_NIGHT)

    beside(work, history={"bucket": "empty", "region": "us-east-1"})
