"""Node groups of `local` that would get no nodes on AWS: one change each, refused as EKS and EC2 do."""

import pytest

from tests.support.deployment import Refused, few_groups, gone, put

LAYERS = ("foundation", "cluster")

SABOTAGES = {
    "no VPC CNI": (
        {"inputs": {"Addon::spark-a-vpc-cni": gone}},
        "Unhealthy nodes in the kubernetes cluster: container runtime network not ready",
        "install the add-on vpc-cni",
    ),
    "no kube-proxy": (
        {"inputs": {"Addon::spark-a-kube-proxy": gone}},
        "no kube-proxy serves it",
        "install the add-on kube-proxy",
    ),
    "no agent of pod identity": (
        {"inputs": {"Addon::spark-a-eks-pod-identity-agent": gone}},
        "no agent on its node gives out the credentials",
        "install the add-on eks-pod-identity-agent",
    ),
    "an image of the other architecture": (
        {"inputs": {"NodeGroup::spark-a-system-us-east-1a": {"amiType": "AL2023_x86_64_STANDARD"}}},
        "[m7g.2xlarge] is not a valid instance type for requested amiType AL2023_x86_64_STANDARD",
        "choose an AMI type of arm64",
    ),
    "an image for GPUs that are not there": (
        {
            # All groups: this one has one type, which the message names.
            "settings": None,
            "inputs": {"NodeGroup::spark-a-driver-amd64-us-east-1b": {"amiType": "AL2023_x86_64_NVIDIA"}},
        },
        "[r6i.2xlarge] is not a valid instance type for requested amiType AL2023_x86_64_NVIDIA",
        "choose a type with NVIDIA GPUs",
    ),
    "no addresses for pods": (
        {
            "inputs": {
                "Subnet::main-pods-us-east-1b": {"cidrBlock": "100.64.64.0/28"},
                "SubnetCidrReservation::main-pods-us-east-1b-*": gone,
            }
        },
        "enough available IP addresses for new nodes",
        "widen the subnet",
    ),
    "no way to EC2": (
        {"inputs": {"VpcEndpoint::main-ec2": {"securityGroupIds": []}}},
        "service ec2 is not reached",
        "add an inbound rule",
    ),
    "no NAT gateway, and no endpoint of ECR": (
        {"inputs": {"VpcEndpoint::main-ecr-dkr": gone, "Route::main-private-us-east-1?": gone}},
        "service ecr.dkr is not reached",
        "add a route",
    ),
    "machines with a security group that the cluster's does not let in": (
        {
            "inputs": {
                "LaunchTemplate::spark-a-executor-amd64": {"vpcSecurityGroupIds": ["sg-0123456789abcdef0"]}
            }
        },
        "the API server is not reached",
        "add an inbound rule for tcp 443",
    ),
    "no NAT gateway, and an endpoint of STS without its names": (
        {
            "inputs": {
                "VpcEndpoint::main-sts": {"privateDnsEnabled": False},
                "Route::main-private-us-east-1?": gone,
            }
        },
        "service sts is not reached",
        "add a route",
    ),
    "a type that a zone lacks": (
        {"settings": put("clusters.spark-a.node_groups.executor-amd64.instance_types", ["vt1.3xlarge"])},
        "is not supported in your requested Availability Zone (us-east-1",
        "leave the zone out",
    ),
}


@pytest.mark.parametrize("name", SABOTAGES)
def test_a_group_whose_machines_could_not_be_nodes_is_refused(up, name):
    change, words, remedy = SABOTAGES[name]

    with pytest.raises(Refused) as refused:
        up("local", layers=LAYERS, **{"settings": few_groups, **change})

    # Several groups may lack the same; nothing else is refused.
    assert all(words in reason for reason in refused.value.reasons)
    assert remedy in str(refused.value)


def test_without_a_sabotage_every_group_gets_its_machines(up):
    account = up("local", layers=LAYERS)

    assert {group.name for group in account.machines} >= {"system-us-east-1a", "executor-arm64"}
    assert account.unknowns == []
