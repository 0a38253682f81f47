"""Machines that could become nodes, and machines that EKS or EC2 would refuse."""

import pytest

from aws_rules.nodes.add_ons import node_add_ons
from aws_rules.nodes.addresses import Machines, Need, PodNetwork, free_addresses, needs
from aws_rules.nodes.machine_images import fits_image
from aws_rules.nodes.offerings import offered
from aws_rules.rule import Unknown, Violation

GRAVITON = {"InstanceType": "m7g.large", "ProcessorInfo": {"SupportedArchitectures": ["arm64"]}}
INTEL = {"InstanceType": "m7i.large", "ProcessorInfo": {"SupportedArchitectures": ["x86_64"]}}
GPU = {
    "InstanceType": "g5.xlarge",
    "ProcessorInfo": {"SupportedArchitectures": ["x86_64"]},
    "GpuInfo": {"Gpus": [{"Manufacturer": "NVIDIA", "Count": 1}]},
}
AMD_GPU = {
    "InstanceType": "g4ad.xlarge",
    "ProcessorInfo": {"SupportedArchitectures": ["x86_64"]},
    "GpuInfo": {"Gpus": [{"Manufacturer": "AMD", "Count": 1}]},
}
ZONES = {"m7g.large": ["us-east-1a", "us-east-1b"], "m6g.large": ["us-east-1c"]}


@pytest.mark.parametrize(
    ("ami_type", "types"),
    [
        ("AL2023_ARM_64_STANDARD", [GRAVITON]),
        ("AL2023_x86_64_STANDARD", [INTEL]),
        ("AL2023_x86_64_NVIDIA", [GPU]),
        ("CUSTOM", [GRAVITON, INTEL]),
    ],
)
def test_types_of_the_architecture_of_an_image_fit_it(ami_type, types):
    assert list(fits_image("group", ami_type, types)) == []


@pytest.mark.parametrize(
    ("ami_type", "machine"),
    [
        ("AL2023_x86_64_STANDARD", GRAVITON),
        ("AL2023_ARM_64_STANDARD", INTEL),
        ("AL2023_x86_64_NVIDIA", INTEL),
        ("AL2023_x86_64_NVIDIA", AMD_GPU),
    ],
)
def test_a_type_that_does_not_fit_the_image_is_refused_in_the_words_of_eks(ami_type, machine):
    [violation] = fits_image("group", ami_type, [machine])

    assert (
        f"[{machine['InstanceType']}] is not a valid instance type for requested amiType {ami_type}"
        in str(violation)
    )


def test_an_image_that_is_not_known_is_not_refused():
    [unknown] = fits_image("group", "AL2030_x86_64_STANDARD", [GRAVITON])

    assert isinstance(unknown, Unknown)


def test_types_that_every_zone_has_are_offered():
    assert list(offered("group", ["m7g.large"], ["us-east-1a", "us-east-1b"], ZONES)) == []


def test_a_second_type_stands_in_where_a_zone_lacks_the_first():
    assert list(offered("group", ["m7g.large", "m6g.large"], ["us-east-1c"], ZONES)) == []


def test_a_zone_without_the_type_is_refused_with_the_zones_that_have_it():
    [violation] = offered("group", ["m7g.large"], ["us-east-1a", "us-east-1e"], ZONES)

    assert isinstance(violation, Violation)
    assert violation.code == "AsgInstanceLaunchFailures"
    assert "(m7g.large) is not supported in your requested Availability Zone (us-east-1e)" in str(violation)
    assert "choosing us-east-1a, us-east-1b" in str(violation)


def test_a_type_whose_zones_are_not_known_is_not_refused():
    [unknown] = offered("group", ["m99g.large"], ["us-east-1a"], ZONES)

    assert isinstance(unknown, Unknown)


PLAIN = PodNetwork()
PREFIXES = PodNetwork(prefixes=True)
ZONE = "topology.kubernetes.io/zone"
CUSTOM = PodNetwork(prefixes=True, pod_subnets={"us-east-1a": "subnet-pods"}, label=ZONE)


def machines(count: int, pods: int = 1, slots: int = 10, group: str = "group") -> Machines:
    return Machines(
        group=group, zone="us-east-1a", subnet="subnet-nodes", count=count, pods=pods, slots=slots
    )


def totals(needed):
    return {need.subnet: need.total for need in needed}


def test_with_prefixes_a_machine_takes_its_own_address_and_sixteen_for_its_first_pods():
    assert totals(needs(machines(3), PREFIXES)) == {"subnet-nodes": 3 * 17}


def test_with_custom_networking_the_interfaces_of_pods_take_primary_addresses_too():
    assert totals(needs(machines(3, pods=110), CUSTOM)) == {
        "subnet-nodes": 3,
        "subnet-pods": 3 * (1 + 7 * 16),
    }


def test_small_machines_need_more_interfaces_for_the_same_pods():
    assert totals(needs(machines(1, pods=110, slots=4), CUSTOM))["subnet-pods"] == 3 + 7 * 16


def test_without_prefixes_each_pod_takes_an_address():
    assert totals(needs(machines(2, pods=20), PLAIN)) == {"subnet-nodes": 2 * (3 + 20)}


def test_the_configuration_of_the_add_on_says_how_addresses_are_taken():
    network = PodNetwork.of(
        {
            "env": {
                "ENABLE_PREFIX_DELEGATION": "true",
                "AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG": "true",
                "ENI_CONFIG_LABEL_DEF": ZONE,
            },
            "eniConfig": {"create": True, "subnets": {"us-east-1a": {"id": "subnet-pods"}}},
        }
    )

    assert network == CUSTOM


def test_eniconfigs_without_custom_networking_have_no_effect():
    assert PodNetwork.of({"eniConfig": {"subnets": {"us-east-1a": {"id": "subnet-pods"}}}}) == PLAIN


def test_a_subnet_without_addresses_is_refused_in_the_words_of_eks():
    subnets = {"subnet-nodes": {"CidrBlock": "10.0.0.0/28"}}

    [violation] = free_addresses("group g", "group", needs(machines(1), PREFIXES), subnets, {})

    assert violation.code == "InsufficientFreeAddresses"
    assert "subnet subnet-nodes has 11, and machines with their first pods take 17" in str(violation)


def test_what_other_groups_take_counts_too():
    subnets = {"subnet-nodes": {"CidrBlock": "10.0.0.0/27"}}
    others = Need("subnet-nodes", "other", 12)

    assert not list(free_addresses("group g", "group", [*needs(machines(1), PREFIXES)], subnets, {}))
    assert list(free_addresses("group g", "group", [others, *needs(machines(1), PREFIXES)], subnets, {}))


def test_interfaces_have_no_addresses_that_are_reserved_for_prefixes():
    subnets = {"subnet-nodes": {"CidrBlock": "10.0.0.0/26"}}
    all_needs = [*needs(machines(1), PREFIXES), Need("subnet-nodes", "other", 12)]

    assert not list(free_addresses("group g", "group", all_needs, subnets, {"subnet-nodes": 32}))
    [violation] = free_addresses("group g", "group", all_needs, subnets, {"subnet-nodes": 48})
    assert "has 11 that are not reserved for prefixes, and interfaces of machines take 13" in str(violation)


def test_a_full_subnet_of_another_group_is_not_this_groups_business():
    subnets = {"subnet-full": {"CidrBlock": "10.0.0.0/28"}}

    assert not list(free_addresses("group g", "group", [Need("subnet-full", "other", 40)], subnets, {}))


ALL = ["vpc-cni", "kube-proxy", "eks-pod-identity-agent"]


@pytest.mark.parametrize("absent", ALL)
def test_no_node_becomes_ready_without_an_add_on_that_it_needs(absent):
    present = [name for name in ALL if name != absent]

    [violation] = node_add_ons("group", present, self_managed=False, cni_by_pod_identity=True)

    assert violation.code == "NodeCreationFailure"
    assert "Unhealthy nodes in the kubernetes cluster" in str(violation)
    assert f"install the add-on {absent} before the group" in str(violation)


def test_add_ons_that_eks_puts_in_itself_are_there():
    assert not list(node_add_ons("group", [], self_managed=True, cni_by_pod_identity=False))


def test_without_pod_identity_nodes_need_no_agent():
    present = ["vpc-cni", "kube-proxy"]

    assert not list(node_add_ons("group", present, self_managed=False, cni_by_pod_identity=False))
