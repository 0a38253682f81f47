"""What is printed of the queues, and of a scheduler that cannot be reached."""

import json
from xml.etree import ElementTree

import pytest
import yaml

from commands.queues import SCHEDULERS_VARIABLE
from moka.queues import queues_yaml
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
    ],
)
def test_options_that_do_not_go_together_are_refused(arguments, message, moka):
    result = moka("queues", "local", *arguments)

    assert (result.status, result.out) == (2, "")
    assert message in result.err
