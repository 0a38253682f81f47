import pytest

from stacks import settings
from stacks.settings import InvalidDocument
from tests.support.wrong_settings import changed

GROUPS = "clusters.spark-a.node_groups"
# With 34 nodes in all, 8 of them in this group, behind one NAT gateway.
ONE_TOO_MANY = {f"{GROUPS}.executor-arm64.maximum": 75}
MESSAGE = (
    "charts.mirror: is not set, but up to 101 nodes of foundation 'main' pull images from Docker Hub behind "
    "one address, which may pull 100 in 6 hours; set it to a registry of your own, which `moka mirror` fills."
)


def messages(changes):
    try:
        settings.parse(changed(changes), "stacks/local.yaml")
    except InvalidDocument as error:
        return str(error)
    return ""


def test_a_hundred_and_one_nodes_behind_one_address_need_a_mirror():
    assert MESSAGE in messages(ONE_TOO_MANY)


@pytest.mark.parametrize(
    "changes",
    [
        {f"{GROUPS}.executor-arm64.maximum": 74},
        {**ONE_TOO_MANY, "charts": {"mirror": "registry.example/mirror"}},
        {**ONE_TOO_MANY, "foundations.main.network.nat": "zonal"},
    ],
    ids=["one node less", "a mirror", "an address in each zone"],
)
def test_fewer_nodes_a_mirror_or_more_addresses_do(changes):
    assert messages(changes) == ""
