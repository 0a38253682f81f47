"""What the allocator is told of an environment."""

import gzip
import random

import pytest
import yaml

from moka.allocation.configuration import dumps, loads
from moka.mistakes import InvalidDocument
from moka.prices import prices
from moka.queues.definitions import Queues
from stacks import settings
from stacks.allocator import configuration
from stacks.offers import offer
from stacks.settings.job_machines import counted_machines
from stacks.usage_sizes import cluster_sizes

MOST_BYTES = 1024 * 1024
"""https://kubernetes.io/docs/concepts/configuration/configmap/#motivation"""

SHIPPED = ("test", "dev", "staging", "prod", "local")


def read_back(environment):
    """What the service reads of what the program writes."""
    return loads(dumps(configuration(environment, prices())), "allocator.json.gz")


@pytest.mark.parametrize("name", SHIPPED)
def test_the_service_has_the_offers_and_sizes_that_commands_make(name):
    environment = settings.load(name)
    told = read_back(environment)

    clusters = list(environment.clusters)
    assert told.offers == {cluster: offer(environment, cluster) for cluster in clusters}
    assert list(told.sizes.values()) == cluster_sizes(environment, clusters, prices())


def test_it_is_told_when_and_how_and_where_archer_and_the_history_are():
    text = yaml.safe_load(settings.path_of("local").read_text())
    night = {"cron": "0 3 * * *", "engine": "percentile", "days": 7, "seconds": 30, "seed": 5}
    text["allocation"] = {"by_itself": True, "night": night}
    told = read_back(settings.parse(yaml.safe_dump(text), "stacks/local.yaml"))

    assert told.night.model_dump() == night
    assert told.bounds.by_itself and told.environment == "local"
    assert (told.archer.url, told.archer.region) == ("http://archer.ingress:8080", "us-east-1")
    assert told.history.bucket == "moka-local-123456789012-us-east-1-resource-usage"


def test_when_plans_are_made_is_not_what_they_are_held_to():
    text = yaml.safe_load(settings.path_of("local").read_text())
    text["allocation"] = {"night": {"seed": 5}}
    other, local = settings.parse(yaml.safe_dump(text), "stacks/local.yaml"), settings.load("local")

    assert other.cluster_settings("spark-a").as_data() == local.cluster_settings("spark-a").as_data()


def test_two_thousand_queues_and_ten_clusters_fit_into_a_config_map():
    prod = settings.load("prod")
    chance = random.Random(1)

    def word():
        return "".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=12))

    def tier():
        cores = chance.randint(1, 4000)
        return {
            "guaranteed": {"cpu": str(cores), "memory": f"{cores * 6}Gi"},
            "maximum": {"cpu": str(cores * 3), "memory": f"{cores * 17}Gi"},
            "max_applications": chance.randint(1, 900),
        }

    organizations = {
        word(): {"projects": {word(): {"tiers": {number: tier() for number in (1, 2)}} for _ in range(20)}}
        for _ in range(50)
    }
    clusters = {f"batch-{number}": prod.clusters["batch-a"] for number in range(10)}
    large = prod.model_copy(
        update={
            "queues": Queues.model_validate({"organizations": organizations}),
            "clusters": clusters,
            "home": "batch-0",
        }
    )
    content = dumps(configuration(large, prices()))

    assert len(list(large.queue_tree("batch-0").leaves())) == 2_000
    # Three times as much would fit.
    assert len(content) < MOST_BYTES / 3 < len(gzip.decompress(content))


def test_a_cluster_whose_machines_are_not_known_is_named():
    text = yaml.safe_load(settings.path_of("local").read_text())
    del text["services"]["allocator"]
    groups = text["clusters"]["spark-a"]["node_groups"]
    for name, types in {"executor-arm64": ["r7gd.metal"], "executor-amd64": ["r6id.metal"]}.items():
        groups[name]["instance_types"] = types
    environment = settings.parse(yaml.safe_dump(text), "stacks/local.yaml")

    assert counted_machines(environment, "spark-a") is None
    with pytest.raises(InvalidDocument, match=r"clusters\.spark-a: the names of its instance types"):
        configuration(environment, prices())
