import pytest
import yaml

from stacks import settings
from tests.support.wrong_settings import OTHER_FOUNDATION, Changes, changed

HERE, FAR = "foundations.main.network", "foundations.far"
PEOPLE = "10.250.0.0/16"


def behind(*cidrs: str) -> dict[str, object]:
    return {"id": "tgw-0d4e5f60718293a4b", "cidrs": [PEOPLE, *cidrs]}


def far_cluster(here: tuple[str, ...], far: tuple[str, ...] | None) -> Changes:
    """`local` with a cluster in another account; here, far: networks behind their transit gateways."""
    network = OTHER_FOUNDATION["network"] | ({} if far is None else {"transit_gateway": behind(*far)})
    return {
        f"{HERE}.transit_gateway": behind(*here),
        FAR: OTHER_FOUNDATION | {"assume": True, "network": network},
        "clusters.spark-b": "copy of spark-a",
        "clusters.spark-b.foundation": "far",
    }


@pytest.mark.parametrize(
    ("here", "far", "own", "other"),
    [
        (("10.1.0.0/16",), None, "10.1.0.0/16", "10.0.0.0/16"),
        (("10.1.0.0/16",), (), "10.1.0.0/16", "10.0.0.0/16"),
        (("10.1.0.0/16",), ("10.0.0.0/17",), "10.1.0.0/16", "10.0.0.0/16"),
        ((), ("10.0.0.0/16",), "10.0.0.0/16", "10.1.0.0/16"),
    ],
)
def test_archer_needs_a_way_to_every_cluster_and_back(here, far, own, other):
    with pytest.raises(settings.InvalidDocument) as refused:
        settings.parse(changed(far_cluster(here, far)), "stacks/local.yaml")

    assert (
        "foundations.far.network.transit_gateway: does not connect cluster 'spark-b' with 'spark-a', where "
        f"Archer is: the cidrs of {own} lack {other}; add that network to them, and have the transit "
        "gateways route it."
    ) in str(refused.value)


def test_an_api_server_lets_in_the_nodes_on_which_archer_is():
    text = changed(far_cluster(("10.1.0.0/16",), ("10.0.0.0/16",)))
    environment = settings.parse(text, "stacks/local.yaml")
    document = yaml.safe_load(text) | {"archer": None}
    del document["services"]["archer"], document["services"]["allocator"]
    without = settings.parse(yaml.safe_dump(document), "stacks/local.yaml")

    assert [*map(str, environment.api_networks("spark-b"))] == ["10.250.16.0/24", "10.0.0.0/16"]
    assert [*map(str, environment.api_networks("spark-a"))] == ["10.250.16.0/24"]
    assert [*map(str, without.api_networks("spark-b"))] == ["10.250.16.0/24"]


def test_pods_come_with_their_own_addresses_to_another_cluster_of_the_vpc():
    environment = settings.parse(changed({"clusters.spark-b": "copy of spark-a"}), "stacks/local.yaml")

    networks = [*map(str, environment.api_networks("spark-b"))]
    assert networks == ["10.250.16.0/24", "10.0.0.0/16", "100.64.0.0/16"]
