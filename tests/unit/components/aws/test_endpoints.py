import json
from dataclasses import replace

from moka.components.aws.endpoints import InterfaceEndpoints, InterfaceEndpointsArgs
from moka.endpoint_services import PROMETHEUS, SERVICES

ENDPOINT = "aws:ec2/vpcEndpoint:VpcEndpoint"
ARGS = InterfaceEndpointsArgs(
    region="eu-west-1",
    vpc_id="vpc-1",
    subnets={"eu-west-1b": "subnet-b", "eu-west-1a": "subnet-a"},
    cidrs=("10.0.0.0/16", "100.64.0.0/16"),
    accounts=("222233334444", "111122223333"),
)


def test_what_a_private_cluster_calls_is_reached_inside_the_network(deploy):
    stack = deploy(lambda: InterfaceEndpoints("moka", ARGS))

    names = {
        endpoint["serviceName"].removeprefix("com.amazonaws.eu-west-1.")
        for endpoint in stack.inputs(ENDPOINT)
    }
    # https://docs.aws.amazon.com/eks/latest/userguide/private-clusters.html
    assert names >= {"ecr.api", "ecr.dkr", "sts", "logs", "ec2", "eks", "eks-auth"}
    assert names >= {"autoscaling", "elasticloadbalancing", "kms", "monitoring"}
    assert names == {service.name for service in SERVICES}


def test_managed_prometheus_is_reached_inside_the_network_where_it_is_used(deploy):
    stack = deploy(lambda: InterfaceEndpoints("moka", replace(ARGS, more=(PROMETHEUS,))))

    endpoint = stack.by_name(ENDPOINT)["moka-aps-workspaces"]
    assert endpoint["serviceName"] == "com.amazonaws.eu-west-1.aps-workspaces"
    assert endpoint["policy"]


def test_clients_find_an_endpoint_by_the_services_own_name_in_every_zone(deploy):
    stack = deploy(lambda: InterfaceEndpoints("moka", ARGS))

    for endpoint in stack.inputs(ENDPOINT):
        assert endpoint["privateDnsEnabled"] is True
        assert endpoint["subnetIds"] == ["subnet-a", "subnet-b"]


def test_endpoints_take_https_from_the_networks_own_ranges_and_nothing_else(deploy):
    stack = deploy(lambda: InterfaceEndpoints("moka", ARGS))

    [group] = stack.inputs("aws:ec2/securityGroup:SecurityGroup")
    [rule] = group["ingress"]
    assert (rule["protocol"], rule["fromPort"], rule["toPort"]) == ("tcp", 443, 443)
    assert rule["cidrBlocks"] == ["10.0.0.0/16", "100.64.0.0/16"]
    assert not group.get("egress")
    assert {tuple(endpoint["securityGroupIds"]) for endpoint in stack.inputs(ENDPOINT)} == {
        ("moka-endpoints-id",)
    }


def test_credentials_of_a_foreign_account_are_of_no_use_inside(deploy):
    stack = deploy(lambda: InterfaceEndpoints("moka", ARGS))

    [statement] = json.loads(stack.by_name(ENDPOINT)["moka-logs"]["policy"])["Statement"]
    assert statement["Condition"] == {
        "StringEquals": {"aws:PrincipalAccount": ["111122223333", "222233334444"]}
    }


def test_signing_in_and_decrypting_are_open_to_roles_that_others_gave(deploy):
    stack = deploy(lambda: InterfaceEndpoints("moka", ARGS))

    assert {name for name, endpoint in stack.by_name(ENDPOINT).items() if not endpoint.get("policy")} == {
        "moka-sts",
        "moka-kms",
    }
