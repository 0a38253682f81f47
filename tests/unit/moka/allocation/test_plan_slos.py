"""What is said of SLOs that a plan keeps and loses."""

from datetime import timedelta

from moka.allocation import plan_checks
from moka.allocation.plan_picture import as_svg
from moka.allocation.plan_slos import losses, sentences
from tests.support.plans import ETL1, amounts, plan, settings


def slo(tier, expected, **changes):
    return {"tier": tier, "expected": expected, **changes}


def made(slos, of=None):
    return plan({ETL1: [amounts("20", "40Gi")]}, of, slos=slos)


def test_tiers_are_summed_up_and_those_that_lose_are_named():
    plan = made(
        {
            "daily": slo(1, 0.9, before=0.2, in_force=0.95),
            "hourly": slo(2, 0.5, in_force=0.9),
            "weekly": slo(2, 1, in_force=0),
            "yearly": slo(2, 0.2, in_force=0.1),
        }
    )

    assert list(sentences(plan)) == [
        "tier 1: 1 of 1 workflows keep their SLO, 1 with this plan",
        "tier 2: 1 of 3 workflows keep their SLO, 1 with this plan",
        "hourly of tier 2 would no longer keep its SLO: 50.0% of its runs in time, not 90.0%",
    ]
    assert losses(plan) == ["hourly"]


def test_where_nothing_is_known_of_now_it_is_not_compared():
    assert list(sentences(made({"daily": slo(3, 0.95)}))) == [
        "tier 3: 1 of 1 workflows keep their SLO with this plan"
    ]
    # A plan that was written by hand may have only what was recorded.
    assert losses(made({"daily": slo(3, 0.85, before=0.95)})) == ["daily"]


def test_of_many_that_lose_there_is_the_number():
    plan = made({f"flow-{number:02}": slo(3, 0, in_force=1) for number in range(25)})

    said = list(sentences(plan))

    assert said[1].startswith("flow-00 of tier 3") and said[20].startswith("flow-19 of tier 3")
    assert said[21:] == ["5 more would no longer keep their SLO."]


def test_a_plan_by_which_tier_1_loses_an_slo_waits_for_a_person():
    of = settings(by_itself=True)

    def beyond(slos):
        plan = made(slos, of)
        return list(plan_checks.beyond(plan, {}, {"spark-a": of}, [], plan.moment + timedelta(hours=1)))

    [found] = beyond({"daily": slo(1, 0.5, in_force=1), "hourly": slo(1, 0.5, in_force=0.5)})
    assert str(found) == (
        "slos: say that tier 1 would lose SLOs that it keeps now (daily), so a person has to apply it: "
        "`moka plan apply`."
    )
    assert beyond({"daily": slo(2, 0.5, in_force=1)}) == []


def test_a_picture_has_them_below_its_title():
    lines = list(sentences(made({"daily": slo(1, 0.95, in_force=0.95)})))

    assert "tier 1: 1 of 1 workflows keep their SLO, 1 with this plan" in as_svg([], "Plan", lines)
