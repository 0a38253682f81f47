"""Queues of the settings: shared out for each cluster, and as a file of their own."""

import json
import subprocess

import jsonschema
import pytest
import yaml

from localcloud import tools
from moka.queues import Resources, queue_file, queues_yaml
from stacks import settings
from stacks.settings import reading

LOCAL = settings.path_of("local").read_text()
CLUSTERS = [(name, cluster) for name in reading.environments() for cluster in settings.load(name).clusters]
G = {"cpu": "40", "memory": "400Gi"}


def with_queues(queues, **cluster):
    """The settings of `local` with other queues, and its cluster with more."""
    document = yaml.safe_load(LOCAL)
    document["clusters"]["spark-a"] |= cluster
    # Its claims are to the queues that it has.
    document["job_namespaces"] = {"spark-jobs": {}}
    return settings.parse(yaml.safe_dump(document | {"queues": queues}), "stacks/local.yaml")


def guaranteed_cores(environment):
    """Guaranteed cores of each queue, by path."""
    return {
        path: queue.guaranteed.cpu / 1000
        for path, queue in environment.queue_tree("spark-a").walk()
        if queue.guaranteed is not None
    }


def organization(**settings):
    return {"projects": {"p": {"weight": 1, "tiers": {2: {"weight": 1}}}}, **settings}


@pytest.mark.parametrize(("environment", "cluster"), CLUSTERS)
def test_yunikorn_takes_the_queues_of_every_environment(environment, cluster, tmp_path):
    file = tmp_path / "queues.yaml"
    file.write_text(queues_yaml(settings.load(environment).queue_tree(cluster)))

    check = subprocess.run([tools.path("queueconfigchecker"), file], capture_output=True, text=True)

    assert check.returncode == 0, check.stdout + check.stderr


def test_amounts_are_subtracted_first_and_weights_share_the_rest():
    environment = with_queues(
        {
            "capacity": {"cpu": "300", "memory": "2Ti"},
            "organizations": {
                "a": organization(weight=1),
                "b": organization(weight=3),
                "c": organization(guaranteed=G),
                # Guaranteed by the queues within it.
                "d": {"projects": {"p": {"tiers": {1: {"guaranteed": G}, 2: {"guaranteed": G}}}}},
            },
        }
    )

    cores = guaranteed_cores(environment)
    assert (cores["root.a"], cores["root.b"], cores["root.c"]) == (45, 135, 40)
    assert cores["root.b.p.tier2"] == 135
    assert "root.d" not in cores


def test_a_project_shares_out_what_it_is_guaranteed():
    projects = {
        "p": {"weight": 1, "tiers": {1: {"weight": 2}, 3: {"guaranteed": {"cpu": "4", "memory": "1Gi"}}}}
    }
    environment = with_queues({"organizations": {"a": {"guaranteed": G, "projects": projects}}})

    cores = guaranteed_cores(environment)
    assert (cores["root.a.p"], cores["root.a.p.tier1"], cores["root.a.p.tier3"]) == (40, 36, 4)


def test_each_cluster_shares_out_its_own_capacity():
    prod = settings.load("prod")
    shares = {cluster: dict(prod.queue_tree(cluster).walk()) for cluster in ("batch-a", "adhoc-a")}

    assert shares["batch-a"]["root.analytics"].guaranteed.cpu == 22_000_000 * 3 // 4
    assert shares["adhoc-a"]["root.analytics"].guaranteed.cpu == 8_000_000 * 3 // 4
    reports = shares["adhoc-a"]["root.analytics.reports"]
    assert reports.maximum == Resources.of(cpu="7200", memory="58982Gi", gpu=18)


def test_the_scheduler_of_each_cluster_has_the_queues_of_that_cluster(whole):
    queues = {
        resource.name: resource.inputs["data"]["queues.yaml"]
        for resource in whole("prod").resources
        if resource.type == "kubernetes:core/v1:ConfigMap"
        and "queues.yaml" in resource.inputs.get("data", {})
    }

    prod = settings.load("prod")
    assert queues == {
        f"{cluster}-yunikorn": queues_yaml(prod.queue_tree(cluster)) for cluster in prod.clusters
    }
    assert queues["adhoc-a-yunikorn"] != queues["batch-a-yunikorn"]


def test_a_tier_has_its_policy_in_every_project():
    environment = with_queues(
        {
            "tiers": {2: {"sort": "fair"}, 3: {"preemption": "fence", "delay_seconds": 600}},
            "organizations": {"a": {"projects": {"p": {"tiers": {1: {}, 2: {}, 3: {}}}}}},
        }
    )
    policies = [queue.policy for _, queue in environment.queue_tree("spark-a").leaves()]

    assert [policy.sort for policy in policies] == ["fifo", "fair", "fifo"]
    assert [policy.preemption for policy in policies] == ["disabled", "default", "fence"]
    assert policies[2].delay_seconds == 600


def test_a_mistake_on_some_clusters_names_them():
    document = yaml.safe_load(settings.path_of("prod").read_text())
    del document["queues"]["capacity"]

    with pytest.raises(settings.InvalidDocument) as error:
        settings.parse(yaml.safe_dump(document), "stacks/prod.yaml")

    lines = str(error.value).splitlines()
    assert all(line.endswith("(on batch-a, batch-b).") for line in lines), lines
    assert any(
        "queues.organizations.analytics.weight: is a share of the capacity of the cluster" in line
        for line in lines
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Settings of `local` that take their queues from a file beside them."""
    document = yaml.safe_load(LOCAL)
    queues = settings.load("local").queues
    del document["queues"]
    (tmp_path / "local.yaml").write_text(yaml.safe_dump(document | {"queues_from": "local.queues.yaml"}))
    (tmp_path / "local.queues.yaml").write_text(queue_file.dumps(queues))
    monkeypatch.setattr(reading, "FOLDER", tmp_path)
    return tmp_path


def test_queues_from_a_file_are_those_that_were_written(folder):
    assert settings.load("local").queues == settings.parse(LOCAL, "stacks/local.yaml").queues


def test_a_file_of_queues_is_no_environment(folder):
    assert reading.environments() == ["local"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("moka-queues/1", "moka-queues/9", "format: is 'moka-queues/9'"),
        ("format: ", "frmat: ", "format: is missing; write moka-queues/1."),
        ("percent", "per_cent", "organizations.analytics.maximum.per_cent: unknown key; did"),
        ('cpu: "16"', 'cpu: "900"', "analytics.projects.reports.tiers.1.guaranteed.cpu: is 900, more"),
        ("organizations:", "organisations:", "organizations: is missing (Organizations, by name)."),
        ('cpu: "128"', 'cpu: "25600"', "capacity.cpu: is 25600, but nodes for drivers and executors"),
        ("organizations:", "organizations: [", "is not YAML: while parsing"),
        ("organizations:", "tiers: {}\ntiers: {}\norganizations:", "tiers is a duplicate of line 5"),
    ],
)
def test_the_message_for_a_mistake_in_a_file_of_queues_names_the_file(folder, old, new, expected):
    file = folder / "local.queues.yaml"
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new, 1))

    with pytest.raises(settings.InvalidDocument) as error:
        settings.load("local")

    lines = str(error.value).splitlines()
    assert any(expected in line for line in lines), lines
    assert all(line.startswith("stacks/local.queues.yaml") for line in lines), lines


@pytest.mark.parametrize("environment", reading.environments())
def test_a_file_of_queues_reads_as_it_was_written_and_is_written_the_same_again(environment):
    queues = settings.load(environment).queues
    text = queue_file.dumps(queues)

    assert queue_file.loads(text, "x") == queues
    assert queue_file.dumps(queue_file.loads(text, "x")) == text


def test_the_order_of_queues_and_defaults_make_no_difference_in_a_file():
    tiers = {3: {"weight": 1}, 1: {"guaranteed": G, "limits": []}}
    first = {
        "organizations": {
            "b": organization(guaranteed=G),
            "a": {"guaranteed": G, "projects": {"p": {"tiers": tiers}}},
        }
    }
    second = {
        "tiers": {},
        "organizations": {
            "a": {"projects": {"p": {"tiers": dict(reversed(tiers.items()))}}, "guaranteed": G, "limits": []},
            "b": organization(guaranteed=G),
        },
    }
    texts = [
        queue_file.dumps(
            queue_file.loads(yaml.safe_dump({"format": queue_file.FORMAT, **queues}, sort_keys=False), "x")
        )
        for queues in (first, second)
    ]

    assert texts[0] == texts[1]
    assert [line for line in texts[0].splitlines() if line[:3] != "   "] == [
        "format: moka-queues/1",
        "organizations:",
        "  a:",
        "  b:",
    ]


@pytest.mark.parametrize("environment", reading.environments())
def test_an_editor_with_the_schema_accepts_what_is_written(environment):
    document = yaml.safe_load(queue_file.dumps(settings.load(environment).queues))
    validator = jsonschema.Draft202012Validator(json.loads(queue_file.QUEUE_FILE.schema()))

    validator.validate(json.loads(json.dumps(document)))
    assert not validator.is_valid(json.loads(json.dumps(document | {"format": "moka-queues/2"})))


def test_an_editor_with_the_schema_wants_queues_or_their_file(folder):
    validator = jsonschema.Draft202012Validator(json.loads(reading.SETTINGS.schema()))
    with_file = yaml.safe_load((folder / "local.yaml").read_text())
    document = yaml.safe_load(LOCAL)

    assert validator.is_valid(json.loads(json.dumps(with_file)))
    assert not validator.is_valid(json.loads(json.dumps(with_file | {"queues": document["queues"]})))
    del with_file["queues_from"]
    assert not validator.is_valid(json.loads(json.dumps(with_file)))
