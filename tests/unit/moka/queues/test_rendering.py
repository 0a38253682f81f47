import subprocess

import pytest
import yaml

from localcloud import tools
from moka.components.kubernetes.priority_classes import CLASSES
from moka.names import priority_class
from moka.queues import Leaf, Limit, Queue, QueueTree, Resources, grow, queues_yaml
from moka.queues.block import block


def leaf(organization="analytics", project="reports", tier=2, **settings):
    amounts = {
        "guaranteed": Resources.of(cpu="16", memory="128Gi"),
        "maximum": Resources.of(cpu="1000000", memory="512Gi"),
    }
    return Leaf(organization=organization, project=project, tier=tier, **{**amounts, **settings})


def partition(tree):
    [document] = yaml.safe_load(queues_yaml(tree))["partitions"]
    return document


def find(tree, path):
    [queue] = partition(tree)["queues"]
    for name in path.split(".")[1:]:
        [queue] = [child for child in queue["queues"] if child["name"] == name]
    return queue


def test_a_job_finds_its_queue_by_organization_project_and_tier():
    queue = leaf(tier=3)

    assert queue.path == "root.analytics.reports.tier3"
    assert find(grow([queue]), queue.path)["name"] == "tier3"


def test_projects_of_an_organization_and_tiers_of_a_project_share_their_parents():
    tree = grow([leaf(tier=1), leaf(tier=2), leaf(project="models")])

    assert [queue["name"] for queue in find(tree, "root")["queues"]] == ["analytics"]
    assert [queue["name"] for queue in find(tree, "root.analytics")["queues"]] == ["models", "reports"]
    assert [queue["name"] for queue in find(tree, "root.analytics.reports")["queues"]] == ["tier1", "tier2"]


def test_amounts_are_told_exactly_and_large_ones_stay_as_they_are():
    amounts = Resources.of(cpu="1500m", memory="2048Gi", gpu=4)

    assert find(grow([leaf(guaranteed=amounts)]), leaf().path)["resources"] == {
        "guaranteed": {"vcore": "1500m", "memory": "2Ti", "nvidia.com/gpu": "4"},
        "max": {"vcore": "1000000", "memory": "512Gi"},
    }


def test_the_root_takes_nothing_for_itself():
    assert find(grow([leaf()]), "root").keys() == {"name", "submitacl", "queues"}


def test_a_queue_of_which_nothing_is_said_is_left_to_its_parent():
    tree = grow([leaf(guaranteed=None, maximum=None)])

    assert "resources" not in find(tree, leaf().path)
    assert "maxapplications" not in find(tree, leaf().path)


def test_only_tier_one_is_never_preempted_and_it_waits_least():
    tree = grow(leaf(tier=tier) for tier in (1, 2, 3))
    tiers = [find(tree, leaf(tier=tier).path)["properties"] for tier in (1, 2, 3)]

    assert [tier["preemption.policy"] for tier in tiers] == ["disabled", "default", "default"]
    delays = [int(tier["preemption.delay"].removesuffix("s")) for tier in tiers]
    assert 0 < delays[0] < delays[1] < delays[2]


def test_a_queue_has_the_priority_of_its_tier_whatever_the_class_of_its_pods():
    tree = grow(leaf(tier=tier) for tier in (1, 2, 3))

    for tier in (1, 2, 3):
        properties = find(tree, leaf(tier=tier).path)["properties"]
        assert properties["priority.policy"] == "fence"
        assert int(properties["priority.offset"]) == CLASSES[priority_class(tier)].value


def test_every_leaf_says_all_of_its_policy_since_yunikorn_resets_nothing():
    tree = grow(leaf(tier=tier) for tier in (1, 2, 3))

    assert len({frozenset(find(tree, leaf(tier=tier).path)["properties"]) for tier in (1, 2, 3)}) == 1


def test_queues_within_one_that_counts_its_jobs_count_them_too():
    tiers = (
        Queue(name="tier1", max_applications=3, policy=grow([leaf()]).organizations[0].policy),
        Queue(name="tier2"),
    )
    project = Queue(name="reports", queues=tiers)
    tree = QueueTree(organizations=(Queue(name="analytics", max_applications=20, queues=(project,)),))

    assert find(tree, "root.analytics.reports")["maxapplications"] == 20
    assert find(tree, "root.analytics.reports.tier1")["maxapplications"] == 3


def test_limits_are_of_users_or_of_groups_and_all_others_come_last():
    limits = (
        Limit(users=("*",), max_applications=2),
        Limit(users=("ann",), groups=("night", "day"), max_applications=5, maximum=Resources.of(cpu="8")),
    )
    rendered = find(grow([leaf(limits=limits)]), leaf().path)["limits"]

    assert [(limit.get("users"), limit.get("groups")) for limit in rendered] == [
        (["ann"], None),
        (["*"], None),
        (None, ["night", "day"]),
    ]
    assert rendered[0]["maxapplications"] == 5
    assert rendered[0]["maxresources"] == {"vcore": "8"}


def test_a_job_without_a_queue_of_the_tree_is_refused():
    assert partition(grow([leaf()]))["placementrules"] == [{"name": "provided", "create": False}]


def test_the_order_of_queues_is_no_change():
    leaves = [leaf(tier=tier, project=project) for tier in (1, 2) for project in ("a", "b")]

    assert queues_yaml(grow(leaves)) == queues_yaml(grow(reversed(leaves)))


@pytest.mark.parametrize(
    "value", ["", "no", "1", "0x1", "1e3", "~", "*", "a: b", "- a", "2026-01-01", "a#b", 'a"b', "null", "\t"]
)
def test_text_stays_text(value):
    assert yaml.safe_load(block({"a": [value, {"b": {value: value}}]})) == {
        "a": [value, {"b": {value: value}}]
    }


def test_lists_and_mappings_within_each_other_stay_as_they_are():
    value = {"a": [1, True, {"b": {}, "c": [], "d": [{"e": [{"f": "g", "h": -2}]}], "i": {"j": 1}}]}

    assert yaml.safe_load(block(value)) == value


def test_yunikorn_takes_all_that_can_be_said(tmp_path):
    limits = (
        Limit(users=("*",), max_applications=2, maximum=Resources.of(cpu="8", memory="64Gi")),
        Limit(users=("a@b.c",), groups=("night",), max_applications=5),
        Limit(groups=("*",), maximum=Resources.of(memory="1Gi")),
    )
    tree = grow(
        [
            leaf(tier=1, guaranteed=Resources.of(cpu="500m", memory="1Mi", gpu=1)),
            leaf(tier=2, max_applications=20, limits=limits),
            leaf(organization="science", guaranteed=None, maximum=None),
        ]
    )
    file = tmp_path / "queues.yaml"
    file.write_text(queues_yaml(tree))

    checked = subprocess.run([tools.path("queueconfigchecker"), file], capture_output=True, text=True)

    assert checked.returncode == 0, checked.stdout + checked.stderr
