import pytest

from tests.support.wrong_settings import OTHER_FOUNDATION, Changes

GROUPS = "clusters.spark-a.node_groups"
NETWORK = "foundations.main.network"

# What is changed in stacks/local.yaml, by its place there, and what the message has to say.
MISTAKES: dict[str, tuple[Changes, str]] = {
    "an API server open to the world": (
        {"clusters.spark-a.public_access": ["0.0.0.0/0"]},
        "clusters.spark-a.public_access: is 0.0.0.0/0, the whole internet; list only the networks "
        "that need access.",
    ),
    "a deployer whom no route answers": (
        {"deployer_network": "10.251.0.0/24"},
        "deployer_network: is 10.251.0.0/24, to which the VPC of foundation 'main' has no route; add a "
        "network that has it to foundations.main.network.transit_gateway.cidrs.",
    ),
    "a deployer on the internet whom a private API server does not let in": (
        {"deployer_network": "54.240.193.129/32"},
        "clusters.spark-a.public_access: does not have deployer_network, 54.240.193.129/32, from which `up` "
        "has to reach the API server; add it, or run `up` in a network that is connected to the VPC.",
    ),
    "people whom no route answers": (
        {"foundations.main.api_access": {"cidrs": ["10.251.0.0/24"]}},
        "foundations.main.api_access.cidrs.0: is 10.251.0.0/24, to which the VPC of foundation 'main' has no "
        "route; add a network that has it to foundations.main.network.transit_gateway.cidrs.",
    ),
    "people on the internet": (
        {"foundations.main.api_access": {"cidrs": ["0.0.0.0/0"]}},
        "foundations.main.api_access.cidrs.0: is 0.0.0.0/0, which is no private network: private API servers "
        "are reached from connected networks only; for the internet there is `public_access` of a cluster.",
    ),
    "the VPC's own range behind its transit gateway": (
        {f"{NETWORK}.transit_gateway.cidrs": ["10.250.0.0/16", "10.0.64.0/18"]},
        f"{NETWORK}.transit_gateway.cidrs.1: is 10.0.64.0/18, which is within the VPC's own 10.0.0.0/16; "
        "name networks behind the gateway.",
    ),
    "a network that is no network": (
        {f"{NETWORK}.cidr": "10.0.0.0/33"},
        f"{NETWORK}.cidr: is '10.0.0.0/33'; '33' is not a valid netmask",
    ),
    "an address within a network": (
        {f"{NETWORK}.cidr": "10.0.0.1/16"},
        f"{NETWORK}.cidr: is '10.0.0.1/16'; 10.0.0.1/16 has host bits set",
    ),
    "a network larger than a VPC": (
        {f"{NETWORK}.cidr": "10.0.0.0/8"},
        f"{NETWORK}.cidr: is 10.0.0.0/8; choose a range from /16, the largest that AWS allows, to /20.",
    ),
    "a network of public addresses": (
        {f"{NETWORK}.cidr": "8.8.0.0/16"},
        f"{NETWORK}.cidr: is 8.8.0.0/16, which has public addresses; choose a range in 10.0.0.0/8 or "
        "100.64.0.0/10.",
    ),
    "pods in the nodes' range": (
        {f"{NETWORK}.pod_cidrs": ["10.0.128.0/17"]},
        f"{NETWORK}.pod_cidrs.0: is 10.0.128.0/17, which overlaps cidr, 10.0.0.0/16; choose another range.",
    ),
    "pod ranges for some of the zones": (
        {f"{NETWORK}.pod_cidrs": ["100.64.0.0/16", "100.65.0.0/16"]},
        f"{NETWORK}.pod_cidrs: has 2 ranges for 3 zones; give one for all zones, or one for each.",
    ),
    "subnets that do not hold the pods": (
        {f"{NETWORK}.pod_cidrs": ["100.64.0.0/20"], f"{GROUPS}.executor-arm64.maximum": 200},
        f"{NETWORK}.pod_cidrs: has 944 addresses in us-east-1a, but pods need 6016 with every node "
        "group at its maximum, generations that retire and updates included; widen it, or lower maximum or "
        "max_pods.",
    ),
    "subnets that hold each generation of a group and not both": (
        {
            f"{GROUPS}.driver-arm64.maximum": 270,
            f"{GROUPS}.driver-arm64.generation": 2,
            f"{GROUPS}.driver-arm64.retiring": {1: {"instance_types": ["r6g.2xlarge"]}},
        },
        f"{NETWORK}.pod_cidrs: has 15344 addresses in us-east-1a, but pods need 21536 with every node "
        "group at its maximum, generations that retire and updates included; widen it, or lower maximum or "
        "max_pods.",
    ),
    "subnets that do not hold the nodes, whose pods are elsewhere": (
        {
            f"{NETWORK}.cidr": "10.0.0.0/20",
            f"{NETWORK}.pod_cidrs": [f"100.{n}.0.0/16" for n in (64, 65, 66)],
            f"{GROUPS}.executor-arm64.maximum": 3063,
        },
        f"{NETWORK}.cidr: has 1019 addresses in us-east-1a, but nodes need 1070 with every node group "
        "at its maximum, generations that retire and updates included; widen it, or lower maximum.",
    ),
    "more nodes than AWS allows in any VPC": (
        {
            f"{NETWORK}.cidr": "10.0.0.0/16",
            f"{NETWORK}.pod_cidrs": [f"100.{n}.0.0/16" for n in (64, 65, 66)],
            f"{GROUPS}.executor-arm64.maximum": 40_000,
        },
        "foundations.main: has clusters that need 281,268 units of Network Address Usage with every node "
        "group at its maximum, generations that retire and updates included, but AWS allows 256,000 in a VPC"
        "; put some of the clusters in another foundation, or lower maximum or max_pods.",
    ),
    "networks that overlap": (
        {
            "foundations.other": {
                **OTHER_FOUNDATION,
                "network": {**OTHER_FOUNDATION["network"], "cidr": "10.0.0.0/16"},
            }
        },
        "foundations.other.network.cidr: is 10.0.0.0/16, which overlaps 10.0.0.0/16 of foundation "
        "'main'; choose another range, as networks that overlap can never be connected.",
    ),
}


@pytest.mark.parametrize(("changes", "expected"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_refused_before_anything_is_registered(changes, expected, refusal):
    assert expected in refusal(changes)
