import json
import re
from datetime import timedelta

import pytest
import yaml

from localcloud.cloud import REPOSITORY
from moka.allocation import plan as plans
from moka.allocation import plan_checks, queue_amounts
from moka.allocation.cluster_settings import ClusterSettings
from moka.allocation.plan_differences import changes, moves
from moka.allocation.plan_picture import as_svg
from moka.allocation.queue_amounts import AmountsOfHour, QueueAmounts, of_hour
from moka.allocation.queues_in_force import in_force
from moka.mistakes import InvalidDocument
from moka.queues.problems import problems
from tests.support import svg_geometry
from tests.support.plans import (
    ETL1,
    ETL2,
    LAB3,
    QUEUES,
    SCHEDULE,
    amounts,
    plan,
    plan_data,
    settings,
)

EXAMPLE = REPOSITORY / "examples" / "plans" / "retail.yaml"

BY_NIGHT = [amounts("40", "80Gi") if hour < 6 else amounts("10", "20Gi") for hour in range(24)]


def merged(queues, of=None, hour=12, nodes=None):
    of = of or settings()
    made = plan(queues, of)
    return in_force(of, made.at("spark-a", hour), nodes or of.calendar.all_nodes)


def guaranteed(tree):
    return {path: queue.guaranteed.quantities() if queue.guaranteed else {} for path, queue in tree.leaves()}


def says(*args, **kwargs):
    return [str(sentence) for sentence in merged(*args, **kwargs).says]


def mistakes(made, of=None):
    return [str(mistake) for mistake in plan_checks.mistakes(made, {"spark-a": of or settings()})]


def test_the_example_is_read_and_a_plan_is_the_same_in_json():
    read = plans.loads(EXAMPLE.read_bytes(), "retail.yaml")

    assert plans.loads(plans.dumps(read), "plan.json") == read
    assert plans.dumps(read) == plans.dumps(plans.loads(plans.dumps(read), "plan.json"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "moka-plan/2"}, "format: is 'moka-plan/2'"),
        ({"id": "Tonight"}, "id: is 'Tonight'; write lower case, digits, dots and dashes"),
        ({"made": "2026-11-26T03:00:00"}, "made: is .*write a time with its zone"),
        ({"made": "tonight"}, "made: is 'tonight'; write a time with its zone"),
        ({"clusters": {}}, "clusters: is {}; dictionary should have at least 1 item"),
        ({"solver": "best"}, "solver: unknown key"),
    ],
)
def test_what_is_no_plan_is_refused_with_its_place(change, message):
    for text in (json.dumps(plan_data({}, **change)), yaml.safe_dump(plan_data({}, **change))):
        with pytest.raises(InvalidDocument, match=message):
            plans.loads(text, "plan")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"format": "moka-plan/1", "format": "moka-plan/1"}', "plan: format is there twice"),
        ("{", "plan is not JSON"),
        ('{"clusters": ' + "[" * 200_000, "plan is nested too deeply"),
        (b'{"id": "\xff"}', "plan is not text: byte 9 is not UTF-8"),
        ("[]", "plan must have keys and values"),
    ],
)
def test_what_is_no_document_is_refused_in_a_sentence(text, message):
    with pytest.raises(InvalidDocument, match=message):
        plans.loads(text, "plan")


def test_hours_are_one_or_all():
    with pytest.raises(InvalidDocument, match=r"tier1\.hours|has 2 hours; write one for all of them, or 24"):
        plan({ETL1: [amounts("1", "1Gi")] * 2})


def test_amounts_hold_in_their_hour_and_the_rest_is_as_the_settings_have_it():
    night, day = (guaranteed(merged({ETL1: BY_NIGHT}, hour=hour).tree) for hour in (5, 6))

    assert night[ETL1] == {"cpu": "40", "memory": "80Gi"}
    assert day[ETL1] == {"cpu": "10", "memory": "20Gi"}
    assert night[ETL2] == day[ETL2] == {"cpu": "30", "memory": "60Gi"}


def test_what_is_above_a_planned_queue_is_guaranteed_what_its_queues_are_together():
    queues = {"organizations": {**QUEUES["organizations"]}}
    queues["organizations"]["acme"] = {**QUEUES["organizations"]["acme"], "weight": 3}
    of = settings(queues)
    tree = merged({ETL1: [amounts("5", "10Gi", 7)]}, of).tree

    [acme] = [queue for path, queue in tree.walk() if path == "root.acme"]
    assert acme.guaranteed is None
    assert acme.effective_guarantee.quantities() == {"cpu": "35", "memory": "70Gi"}
    assert dict(tree.leaves())[ETL1].max_applications == 7
    assert not list(problems(tree))
    # Of a plan whose queue is gone, nothing of what is above it changes.
    gone = merged({"root.acme.gone.tier1": [amounts("5", "10Gi")]}, of)
    assert gone.tree == in_force(of, AmountsOfHour(), of.calendar.all_nodes).tree
    assert len(gone.says) == 1


@pytest.mark.parametrize(
    ("queues", "bounds", "message"),
    [
        (
            {ETL2: [amounts("70", "10Gi")]},
            {},
            r"tier2\.guaranteed\.cpu: is 70, more than the maximum of root\.acme\.etl\.tier2 in the settings",
        ),
        (
            {ETL2: [amounts("10", "10Gi", maximum={"cpu": "80"})]},
            {},
            r"tier2\.maximum\.cpu: is 80, more than the maximum of root\.acme\.etl\.tier2 in the settings",
        ),
        (
            {ETL1: [amounts("10", "10Gi", maximum={"cpu": "5"})]},
            {},
            r"tier1\.guaranteed\.cpu: is 10, more than its maximum, 5; lower it",
        ),
        (
            {ETL1: [amounts("9", "40Gi")]},
            {"least": {1: 50}},
            r"tier1\.guaranteed\.cpu: is 9, less than the 10 that `least` in the settings leaves it",
        ),
        (
            {LAB3: [amounts("80", "10Gi")]},
            {},
            r"root: has queues that are guaranteed 130 of cpu together, more than the capacity",
        ),
        (
            {"root.acme.gone.tier1": [amounts("1", "1Gi")]},
            {},
            r"root\.acme\.gone\.tier1: is none of the queues in the settings",
        ),
    ],
)
def test_what_the_settings_do_not_leave_to_a_plan_is_told_and_refuses_it(queues, bounds, message):
    of = settings(**bounds)

    assert any(re.search(message, sentence) for sentence in says(queues, of))
    found = mistakes(plan(queues, of), of)
    assert any(re.search(message, one) for one in found), found
    assert not list(problems(merged(queues, of).tree))


def test_a_wrong_hour_is_named_once():
    hours = [amounts("10", "20Gi")] * 5 + [amounts("200", "20Gi")] * 2 + [amounts("10", "20Gi")] * 17

    [mistake, *others] = mistakes(plan({ETL2: hours}))
    assert mistake.startswith(f"clusters.spark-a.queues.{ETL2}.guaranteed.cpu: is 200, more than")
    assert mistake.endswith("(in the hour from 5:00).")
    assert not others


def test_the_lowest_tier_gives_way_where_a_schedule_leaves_less():
    of = settings(schedule=SCHEDULE)
    queues = {ETL1: [amounts("30", "60Gi")], ETL2: [amounts("40", "80Gi")], LAB3: [amounts("30", "60Gi")]}

    tree = merged(queues, of, nodes={"executor": 7}).tree

    assert guaranteed(tree) == {
        ETL1: {"cpu": "30", "memory": "60Gi"},
        ETL2: {"cpu": "33", "memory": "66Gi"},
        LAB3: {"cpu": "7", "memory": "14Gi"},
    }
    assert not list(problems(tree))


def test_a_plan_of_other_settings_a_stranger_and_routes_to_nowhere_are_refused():
    other = settings({"organizations": {"ml": QUEUES["organizations"]["ml"]}})
    routes = {
        "daily": {"cluster": "batch-z", "why": "room"},
        "weekly": {"cluster": "spark-a", "queue": "acme.gone", "why": "room"},
    }
    data = plan_data({ETL1: [amounts("20", "40Gi")]}, other, routes=routes)
    data["clusters"]["batch-x"] = data["clusters"]["spark-a"]

    found = mistakes(plans.read(data, "plan"))

    assert found == [
        "clusters.batch-x: has not reported its queues to Archer; the clusters that have are spark-a.",
        "clusters.spark-a.settings: is of other queues than the settings of this cluster have now; make the "
        "plan anew.",
        "routes.daily.cluster: is 'batch-z', which has not reported its queues to Archer; the clusters that "
        "have are spark-a.",
        "routes.weekly.queue: is 'acme.gone', but spark-a has no queues of it; correct the queue, or add it "
        "to the settings.",
    ]


@pytest.mark.parametrize(
    ("bounds", "cpu", "moved", "message"),
    [
        ({}, "20", 0, "allocation.by_itself: is false"),
        ({"by_itself": True}, "24", 0, None),
        ({"by_itself": True}, "25", 0, r"tier1: changes its guaranteed cpu by 25%, more than the 20%"),
        ({"by_itself": True, "most_change": 25}, "25", 0, None),
        ({"by_itself": True, "most_moves": 1}, "20", 2, "routes: send 2 workflows somewhere else"),
    ],
)
def test_a_plan_that_changes_more_than_the_settings_allow_waits_for_a_person(bounds, cpu, moved, message):
    of = settings(**bounds)
    made = plan({ETL1: [amounts(cpu, "40Gi")]}, of)

    found = [str(one) for one in plan_checks.beyond(made, {}, {"spark-a": of}, ["any"] * moved, made.moment)]

    assert len(found) == (1 if message else 0), found
    assert message is None or re.search(message, found[0])


@pytest.mark.parametrize(
    ("before", "then", "waits"), [(None, 9, True), (10, 8, False), (10, 7, True), (10, 100, False)]
)
def test_a_plan_that_lets_a_queue_run_far_fewer_jobs_waits_for_a_person(before, then, waits):
    of = settings(by_itself=True)
    earlier, later = ([amounts("20", "40Gi", jobs)] for jobs in (before, then))
    known = {"format": queue_amounts.FORMAT, "revision": 1, "queues": {ETL1: {"hours": earlier}}}
    in_force_now = {"spark-a": QueueAmounts.model_validate(known)}
    document = plan({ETL1: later}, of)

    sentences = [
        str(one) for one in plan_checks.beyond(document, in_force_now, {"spark-a": of}, [], document.moment)
    ]

    assert [
        f"has {then} jobs at a time in place of {before or 'any number'}" in one for one in sentences
    ] == ([True] if waits else [])


def test_a_plan_of_long_ago_waits_for_a_person():
    of = settings(by_itself=True)
    made = plan({ETL1: [amounts("20", "40Gi")]}, of)

    [found] = plan_checks.beyond(made, {}, {"spark-a": of}, [], made.moment + timedelta(days=2))

    assert str(found).startswith("made: is 2026-11-26T03:00:00Z, more than a day ago")


def test_differences_are_sentences_and_a_picture():
    routes = {"daily": {"cluster": "spark-a", "why": "room"}}
    made = plan({ETL1: BY_NIGHT, ETL2: [amounts("30", "60Gi", 9)]}, routes=routes)

    found = list(changes(None, made, {"spark-a": settings()}))

    assert list(map(str, found)) == [
        "root.acme.etl.tier1 on spark-a: guaranteed cpu 10 to 40 instead of 20.",
        "root.acme.etl.tier1 on spark-a: guaranteed memory 20Gi to 80Gi instead of 40Gi.",
        "root.acme.etl.tier2 on spark-a: jobs at a time 9 instead of none.",
    ]
    assert list(map(str, moves(None, made))) == ["daily goes to spark-a instead of where it fits."]
    assert list(changes(made, made, {"spark-a": settings()})) == list(moves(made, made)) == []
    drawing = as_svg(found, "Plan")
    assert drawing.count("<polyline") == 2
    assert "acme.etl.tier1" in drawing and "acme.etl.tier2" not in drawing


def test_a_drawing_has_all_of_its_text_on_it_and_amounts_that_one_reads():
    made = plan({ETL1: [amounts("32688m", "78543Mi")]})
    found = list(changes(None, made, {"spark-a": settings()}))

    drawing = as_svg(found, "Plan 2026-11-26-cp-sat-adfb2dfa of local", "the settings, revision 1795720856")

    assert svg_geometry.mistakes(drawing) == []
    assert "20 → 32.7 cores at most" in drawing and "40 → 76.7 GiB at most" in drawing
    assert "compared with the settings, revision 1795720856" in drawing


def test_amounts_of_a_cluster_are_the_same_after_a_config_map_and_fit_into_one():
    hours = [amounts(str(1000 + hour), f"{2000 + hour}Gi", 5 + hour) for hour in range(24)]
    whole = QueueAmounts.model_validate(
        {
            "format": queue_amounts.FORMAT,
            "revision": 7,
            "plan": "tonight",
            "settings": settings().digest,
            "queues": {f"root.acme.p{number}.tier1": {"hours": hours} for number in range(2000)},
        }
    )
    config_map = queue_amounts.as_config_map(whole)

    assert queue_amounts.revision_of(config_map) == 7
    assert queue_amounts.of_config_map(config_map) == whole
    assert len(config_map["binaryData"][queue_amounts.KEY]) < 2**20
    assert queue_amounts.of_config_map({"metadata": {}}) is None
    assert queue_amounts.revision_of({"data": {"revision": "x"}}) is None


@pytest.mark.parametrize("value", ["bm8gZ3ppcA==", "H4sIAAAAAAAAA6uuBQBDv6ajAgAAAA=="])
def test_broken_amounts_are_told(value):
    with pytest.raises(InvalidDocument, match=r"amounts\.json\.gz"):
        queue_amounts.of_config_map({"binaryData": {queue_amounts.KEY: value}})


def test_settings_are_the_same_after_a_config_map_and_have_no_bounds_before_there_were_plans():
    of = settings(least={1: 50}, by_itself=True)
    data = of.as_data()

    assert ClusterSettings.of_data(data) == of
    data.pop("plan-bounds.json")
    assert ClusterSettings.of_data(data).bounds == settings().bounds
    assert of_hour({}, 3, None).queues == {}
