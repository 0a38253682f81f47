import subprocess

import yaml

from components.kubernetes.queues import Leaf, Resources, grow, queues_yaml
from localcloud import tools


def queue(organization="analytics", project="reports", tier=2):
    return Leaf(
        organization=organization,
        project=project,
        tier=tier,
        guaranteed=Resources.of(cpu="16", memory="128Gi"),
        maximum=Resources.of(cpu="1000000", memory="512Gi"),
    )


def root(*queues):
    [partition] = yaml.safe_load(queues_yaml(grow(queues)))["partitions"]
    [root] = partition["queues"]
    return root


def find(queue, path):
    for name in path.split(".")[1:]:
        [queue] = [child for child in queue["queues"] if child["name"] == name]
    return queue


def test_a_job_finds_its_queue_by_organization_project_and_tier():
    assert queue(tier=3).path == "root.analytics.reports.tier3"
    assert find(root(queue(tier=3)), queue(tier=3).path)["name"] == "tier3"


def test_projects_of_an_organization_and_tiers_of_a_project_share_their_parents():
    made = root(queue(tier=1), queue(tier=2), queue(project="models"))

    assert [child["name"] for child in made["queues"]] == ["analytics"]
    assert [child["name"] for child in find(made, "root.analytics")["queues"]] == ["models", "reports"]
    assert [leaf["name"] for leaf in find(made, "root.analytics.reports")["queues"]] == ["tier1", "tier2"]


def test_what_is_guaranteed_and_what_is_allowed_is_at_the_leaf():
    assert find(root(queue()), queue().path)["resources"] == {
        "guaranteed": {"vcore": "16", "memory": "128Gi"},
        "max": {"vcore": "1000000", "memory": "512Gi"},
    }


def test_root_takes_no_limits():
    assert "resources" not in root(queue())


def test_amounts_are_strings_so_that_large_ones_stay_as_they_are():
    assert "vcore: '1000000'" in queues_yaml(grow([queue()]))


def test_tier_one_is_never_preempted_and_the_others_are():
    made = root(*[queue(tier=tier) for tier in (1, 2, 3)])

    assert [find(made, queue(tier=tier).path)["properties"]["preemption.policy"] for tier in (1, 2, 3)] == [
        "disabled",
        "default",
        "default",
    ]


def test_a_job_without_a_queue_of_the_tree_is_refused():
    [partition] = yaml.safe_load(queues_yaml(grow([queue()])))["partitions"]

    assert partition["placementrules"] == [{"name": "provided", "create": False}]


def test_the_order_of_queues_is_no_change():
    queues = [queue(tier=tier, project=project) for tier in (1, 2) for project in ("a", "b")]

    assert queues_yaml(grow(queues)) == queues_yaml(grow(reversed(queues)))


def test_yunikorn_takes_the_queues(tmp_path):
    checker = tools.path("queueconfigchecker")
    file = tmp_path / "queues.yaml"
    file.write_text(queues_yaml(grow([queue(tier=1), queue(tier=2), queue(organization="science")])))

    checked = subprocess.run([checker, file], capture_output=True, text=True)

    assert checked.returncode == 0, checked.stdout + checked.stderr
