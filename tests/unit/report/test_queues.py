import pytest

from moka.queues import queues_yaml
from moka.queues.resources import Resources
from moka.queues.tree import Leaf, grow
from report.subjects.drivers import drivers
from report.subjects.queues import queues
from tests.support.report_steps import preview, says, step

CONFIG_MAP = "kubernetes:core/v1:ConfigMap"


def config(*leaves):
    """The ConfigMap as the scheduling layer makes it."""
    text = queues_yaml(grow(leaves))
    return {"metadata": {"name": "yunikorn-configs"}, "data": {"queues.yaml": text}}


def leaf(project="reports", tier=1, cpu="16", maximum="64", jobs=None):
    return Leaf(
        organization="analytics",
        project=project,
        tier=tier,
        guaranteed=Resources.of(cpu=cpu, memory="64Gi") if cpu else None,
        maximum=Resources.of(cpu=maximum) if maximum else None,
        max_applications=jobs,
    )


def change(before, after, subject=queues):
    return subject(preview(step(CONFIG_MAP, "queues", before, after)))


PATH = "`root.analytics.reports.tier1`"


@pytest.mark.parametrize(
    ("after", "weight", "sentence"),
    [
        ([leaf(cpu="8")], "look", f"Guaranteed less: {PATH}."),
        ([leaf(cpu="32")], "note", f"Guaranteed more: {PATH}."),
        ([leaf(cpu=None)], "stop", f"Nothing is guaranteed to {PATH} any more"),
        ([leaf(tier=2)], "look", f"{PATH} goes: jobs that name it are refused"),
        ([leaf(), leaf("models", 2)], "note", "New: `root.analytics.models.tier2`."),
    ],
)
def test_what_a_queue_gains_and_loses_is_told(after, weight, sentence):
    assert sentence in says(change(config(leaf()), config(*after)), weight)


def test_the_picture_has_a_bar_before_and_after():
    section = change(
        config(leaf(cpu="16"), leaf("models", 2, "4")), config(leaf(cpu="8"), leaf("models", 2, "4"))
    )

    assert section.picture.splitlines()[:3] == [
        "guaranteed cpu",
        f"  root.analytics.reports.tier1  {'█' * 24}  16",
        f"                                {'█' * 12}{'·' * 12}  8",
    ]
    assert "models" not in section.picture


def test_the_table_has_amounts_before_and_after():
    section = change(config(leaf(cpu="16", jobs=5)), config(leaf(cpu="8", jobs=3)))

    rows = {row[0]: list(row[1:]) for row in section.table.rows}
    assert rows[PATH] == ["cpu 16 → 8; memory 64Gi", "cpu 64", "5 → 3", ""]


@pytest.mark.parametrize(
    ("after", "sentence"),
    [(leaf(maximum="8"), "at most 8 cpu"), (leaf(jobs=3), "at most 3 jobs at a time")],
)
def test_drivers_wait_where_a_queue_takes_less(after, sentence):
    section = change(config(leaf()), config(after), drivers)

    assert f"In queue {PATH} there may be {sentence}" in says(section, "look")


def test_the_same_queues_in_another_order_are_no_change():
    leaves = [leaf(), leaf("models", 2)]

    assert not change(config(*leaves), config(*reversed(leaves)))


@pytest.mark.parametrize(
    "text", ["{", "partitions: []", "partitions: [{queues: [{name: root, queues: [3]}]}]"]
)
def test_queues_that_the_scheduler_cannot_read_stop_a_change(text):
    broken = {**config(), "data": {"queues.yaml": text}}

    assert "is no configuration of YuniKorn" in says(change(config(leaf()), broken), "stop")


def test_queues_that_are_not_known_yet_are_said_to_be_so():
    unknown = {**config(), "data": {"queues.yaml": "04da6b54-80e4-46f7-96ec-b56ff0331ba9"}}

    assert "are known after `up` only" in says(change(config(leaf()), unknown), "look")


def test_other_config_maps_are_none_of_its_business():
    other = {"metadata": {"name": "celeborn"}, "data": {"queues.yaml": "{"}}

    assert not change(None, other)
