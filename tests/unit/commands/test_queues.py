"""What is printed of the queues, and of a scheduler that cannot be reached."""

import json
from xml.etree import ElementTree

import pytest
import yaml

from commands.queues import SCHEDULERS_VARIABLE
from moka.queues import queues_yaml
from moka.queues.in_force import Difference
from stacks import settings


def test_queues_of_every_cluster_are_shown(moka):
    result = moka("queues", "prod")

    assert result.status == 0
    assert [line for line in result.out.splitlines() if line.startswith("Queues of")] == [
        f"Queues of prod, cluster {cluster}" for cluster in ("batch-a", "batch-b", "adhoc-a")
    ]


def test_a_drawing_is_made_for_each_cluster(tmp_path, moka):
    all_clusters = moka("queues", "prod", "--svg", str(tmp_path / "queues.svg"))
    one_cluster = moka("queues", "prod", "--svg", str(tmp_path / "one.svg"), "--cluster", "adhoc-a")

    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["one.svg", "queues-adhoc-a.svg", "queues-batch-a.svg", "queues-batch-b.svg"]
    assert (all_clusters.status, one_cluster.status) == (0, 0)
    assert sorted((all_clusters.out + one_cluster.out).splitlines()) == [
        str(tmp_path / name) for name in names
    ]
    for path in tmp_path.iterdir():
        ElementTree.parse(path)


def test_scripts_get_amounts_as_json(moka):
    result = moka("queues", "prod", "--json", "--cluster", "adhoc-a")

    [organization, _] = json.loads(result.out)["adhoc-a"]["organizations"]
    assert organization["guaranteed"] == {"cpu": 6_000_000, "memory": 48 * 2**40, "gpu": 15}


def test_yaml_is_what_the_scheduler_gets(moka):
    assert moka("queues", "local", "--yaml").out == queues_yaml(settings.load("local").queue_tree("spark-a"))
    assert len(list(yaml.safe_load_all(moka("queues", "prod", "--yaml").out))) == 3


@pytest.mark.parametrize(
    ("differences", "status", "says"),
    [
        ([], 0, "spark-a: as the settings say\n"),
        (
            [Difference("root.a", "should exist, but does not")],
            1,
            "spark-a: 1 difference\n  root.a should exist",
        ),
    ],
)
def test_the_exit_status_says_whether_what_is_in_force_differs(moka, monkeypatch, differences, status, says):
    monkeypatch.setattr("commands.queues.queue_differences", lambda tree, url: differences)

    result = moka("queues", "local", "--in-force", "--url", "http://127.0.0.1:1")

    assert result.status == status
    assert result.out.startswith(says)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["prodd"], "Environment 'prodd' has no settings"),
        (
            ["prod", "--cluster", "x"],
            "prod has no cluster 'x'; --cluster is one of batch-a, batch-b, adhoc-a.",
        ),
        (
            ["prod", "--in-force", "--url", "http://x"],
            "A URL is that of one cluster's scheduler: add --cluster, one of batch-a",
        ),
        (["prod", "--in-force"], "No URL known for the scheduler of acme-prod-batch-a: forward its port"),
        (
            ["local", "--in-force", "--url", "http://127.0.0.1:1"],
            "http://127.0.0.1:1/ws/v1/partition/default/queues does",
        ),
        (["local", "--in-force", "--url", "9080"], "9080/ws/v1/partition/default/queues does not answer"),
    ],
)
def test_what_is_refused_is_one_sentence(arguments, message, moka, monkeypatch):
    monkeypatch.delenv(SCHEDULERS_VARIABLE, raising=False)

    result = moka("queues", *arguments)

    assert (result.status, result.out) == (2, "")
    assert result.err.startswith(message) and result.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--json", "--yaml"], "--svg, --json, --yaml and --in-force exclude each other."),
        (["--url", "http://x"], "--url goes with --in-force."),
        (["--at", "2026-11-26", "--in-force"], "--at and --in-force exclude each other"),
        (["--at", "tomorrow"], "'tomorrow' is no time: write one such as 2026-11-26T03:00"),
    ],
)
def test_options_that_do_not_go_together_are_refused(arguments, message, moka):
    result = moka("queues", "local", *arguments)

    assert (result.status, result.out) == (2, "")
    assert message in result.err


def test_at_a_time_queues_have_what_the_schedule_leaves(moka):
    # The evening in Los Angeles begins at 19: 60 nodes for executors on arm64 become 20.
    before, after = (
        json.loads(moka("queues", "dev", "--json", "--at", time).out)
        for time in ("2026-11-25T18:59-08:00", "2026-11-26T03:00")
    )
    everything = json.loads(moka("queues", "dev", "--json").out)

    [cluster] = everything
    assert before == everything
    [cores, all_cores] = [
        sum(organization["guaranteed"]["cpu"] for organization in trees[cluster]["organizations"])
        for trees in (after, before)
    ]
    assert all_cores == 1_600_000
    # Of 20 nodes with 8 vCPUs for drivers, and 108 with 16 for executors, 68 of these are left.
    assert cores == 1_600_000 * (20 * 8 + 68 * 16) // (20 * 8 + 108 * 16) // 1000 * 1000


def test_what_holds_is_named(moka):
    shown = moka("queues", "dev", "--at", "2026-11-26T03:00").out

    assert "Queues of dev, cluster" in shown and ", at 2026-11-26 03:00+00:00" in shown
    assert "Then evening of executor-arm64 holds, 20 of 60 nodes." in shown
    assert "of executor-arm64 holds, " in moka("queues", "dev").out
    assert "--at shows the queues of a time." in moka("queues", "dev").out
    assert "--at" not in moka("queues", "local").out
