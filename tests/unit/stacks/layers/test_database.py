"""Layer database, as the settings of whole environments ask for it."""

import dataclasses
import functools

import pytest
import yaml

from stacks import settings, slices
from stacks.layers import database
from stacks.slices import Unit
from tests.support.sites import make_site

LOCAL = settings.path_of("local").read_text()
CLUSTER = "aws:rds/cluster:Cluster"


def outputs_of(kind):
    """Outputs of a layer, each its own name, and subnets in their zones."""
    names = {field.name: field.name for field in dataclasses.fields(kind)}
    subnets = {f"us-east-1{letter}": f"subnet-{letter}" for letter in "abc"}
    return kind(**{**names, **{name: subnets for name in names if name.endswith("subnets")}})


def environment(**changes):
    """local, with something else in its `database`."""
    text = yaml.safe_load(LOCAL)
    text["database"] |= changes
    return settings.parse(yaml.safe_dump(text), "stacks/local.yaml")


@pytest.fixture
def cluster(deploy):
    """Settings -> the database cluster that they make."""

    def make(environment):
        where = make_site("spark-a", environment, read=lambda layer, kind: outputs_of(kind))
        recorder = deploy(lambda: database.deploy(where, database.inputs(where)))
        [one] = [resource for resource in recorder.resources if resource.type == CLUSTER]
        return one

    return make


def test_it_is_there_once_at_home_where_the_settings_have_it():
    text = yaml.safe_load(LOCAL)
    # It keeps its jobs there.
    del text["archer"], text["services"]["archer"], text["services"]["allocator"]
    without = {name: section for name, section in text.items() if name != "database"}

    def units(text):
        return set(slices.units(settings.parse(yaml.safe_dump(text), "stacks/local.yaml")))

    assert units(text) - units(without) == {Unit("database", "spark-a")}


def test_another_generation_is_another_resource_that_begins_with_what_it_is_told(cluster):
    first = cluster(environment())
    second = cluster(
        environment(
            generation=2,
            restore_from={"cluster": first.inputs["clusterIdentifier"], "time": "2026-11-24T01:05:00Z"},
        )
    )

    assert first.name != second.name
    assert second.inputs["clusterIdentifier"] == "moka-local-database-2"
    assert second.inputs["restoreToPointInTime"] == {
        "sourceClusterIdentifier": "moka-local-database-1",
        "restoreToTime": "2026-11-24T01:05:00Z",
    }


def test_it_is_the_same_one_where_another_cluster_becomes_home(deploy):
    """RDS would refuse a second one of its name, and what the first one holds would be lost."""
    text = yaml.safe_load(LOCAL)
    text["clusters"]["spark-b"] = text["clusters"]["spark-a"]
    trees = []
    for home in ("spark-a", "spark-b"):
        text["home"] = home
        whole = settings.parse(yaml.safe_dump(text), "stacks/local.yaml")
        where = make_site(home, whole, read=lambda layer, kind: outputs_of(kind))
        trees.append(deploy(functools.partial(database.deploy, where, database.inputs(where))).tree())

    assert trees[0].keys() == trees[1].keys()
    [component] = [request for path, request in trees[1].items() if request.type == "moka:aws:Database"]
    assert {alias.spec.name for alias in component.aliases} == {"spark-a-database-1", "spark-b-database-1"}
