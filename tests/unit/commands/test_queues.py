"""What is printed of the queues, and what a scheduler that cannot be asked comes to."""

import json
from xml.etree import ElementTree

import pytest
import yaml

from commands.queues import SCHEDULERS, main
from moka.queues import queues_yaml
from stacks import settings


def test_every_cluster_is_told_of(capsys):
    assert main(["prod"]) == 0

    told = capsys.readouterr().out
    assert [line for line in told.splitlines() if line.startswith("Queues of")] == [
        f"Queues of prod, cluster {cluster}" for cluster in ("batch-a", "batch-b", "adhoc-a")
    ]


def test_a_drawing_is_made_for_each_cluster(tmp_path, capsys):
    assert main(["prod", "--svg", str(tmp_path / "queues.svg")]) == 0
    assert main(["prod", "--svg", str(tmp_path / "one.svg"), "--cluster", "adhoc-a"]) == 0

    made = sorted(path.name for path in tmp_path.iterdir())
    assert made == ["one.svg", "queues-adhoc-a.svg", "queues-batch-a.svg", "queues-batch-b.svg"]
    assert sorted(capsys.readouterr().out.splitlines()) == [str(tmp_path / name) for name in made]
    for path in tmp_path.iterdir():
        ElementTree.parse(path)


def test_amounts_are_told_to_scripts(capsys):
    assert main(["prod", "--json", "--cluster", "adhoc-a"]) == 0

    [organization, _] = json.loads(capsys.readouterr().out)["adhoc-a"]["organizations"]
    assert organization["guaranteed"] == {"cpu": 6_000_000, "memory": 48 * 2**40, "gpu": 15}


def test_what_the_scheduler_is_given_is_shown(capsys):
    assert main(["local", "--yaml"]) == 0

    assert capsys.readouterr().out == queues_yaml(settings.load("local").queue_tree("spark-a"))
    assert main(["prod", "--yaml"]) == 0
    assert len(list(yaml.safe_load_all(capsys.readouterr().out))) == 3


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["prodd"], "Environment 'prodd' has no settings"),
        (
            ["prod", "--cluster", "x"],
            "prod has no cluster 'x'; --cluster is one of batch-a, batch-b, adhoc-a.",
        ),
        (["prod", "--in-force", "http://x"], "A scheduler is that of one cluster: name it with --cluster"),
        (["prod", "--in-force"], "Nobody says where the scheduler of acme-prod-batch-a is: forward its port"),
        (
            ["local", "--in-force", "http://127.0.0.1:1"],
            "http://127.0.0.1:1/ws/v1/partition/default/queues does",
        ),
        (["local", "--in-force", "9080"], "9080/ws/v1/partition/default/queues does not answer"),
    ],
)
def test_what_cannot_be_is_told_in_a_sentence(arguments, says, capsys, monkeypatch):
    monkeypatch.delenv(SCHEDULERS, raising=False)

    assert main(arguments) == 2

    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(says) and told.err.count("\n") == 1
