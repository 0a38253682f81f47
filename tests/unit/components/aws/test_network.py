import ipaddress
import itertools

import pytest

from components.aws.network import Network, NetworkArgs, subnet_plans

ZONES = ("us-east-1a", "us-east-1b", "us-east-1c")


def args(**changes):
    return NetworkArgs(**{"region": "us-east-1", "cidr": "10.0.0.0/16", "zones": ZONES, **changes})


def test_every_zone_has_a_public_and_a_private_subnet(deploy):
    made = deploy(lambda: Network("moka", args()))

    assert made.named("aws:ec2/subnet:Subnet").keys() == {
        f"moka-{kind}-{zone}" for kind in ("public", "private") for zone in ZONES
    }


def test_no_machine_gets_a_public_address_by_being_in_a_public_subnet(deploy):
    made = deploy(lambda: Network("moka", args()))

    assert not any(subnet["mapPublicIpOnLaunch"] for subnet in made.inputs("aws:ec2/subnet:Subnet"))


def test_with_a_gateway_a_zone_private_traffic_never_leaves_its_zone(deploy):
    made = deploy(lambda: Network("moka", args(nat="zonal")))

    routes = made.named("aws:ec2/route:Route")
    for zone in ZONES:
        assert routes[f"moka-private-{zone}"]["natGatewayId"] == f"moka-{zone}-id"


def test_a_single_gateway_serves_every_zone(deploy):
    made = deploy(lambda: Network("moka", args(nat="single")))

    assert len(made.inputs("aws:ec2/natGateway:NatGateway")) == 1
    routes = made.named("aws:ec2/route:Route")
    assert {routes[f"moka-private-{zone}"]["natGatewayId"] for zone in ZONES} == {"moka-us-east-1a-id"}


def test_the_default_security_group_lets_nothing_through(deploy):
    made = deploy(lambda: Network("moka", args()))

    [group] = made.inputs("aws:ec2/defaultSecurityGroup:DefaultSecurityGroup")
    assert not group.get("ingress")
    assert not group.get("egress")


def test_private_subnets_reach_s3_past_the_nat_gateways(deploy):
    made = deploy(lambda: Network("moka", args()))

    [endpoint] = made.inputs("aws:ec2/vpcEndpoint:VpcEndpoint")
    assert endpoint["serviceName"] == "com.amazonaws.us-east-1.s3"
    assert set(endpoint["routeTableIds"]) == {f"moka-private-{zone}-id" for zone in ZONES}


def test_subnets_lie_in_the_network_and_never_overlap():
    plans = subnet_plans("10.0.0.0/16", ZONES)

    subnets = [ipaddress.ip_network(cidr) for plan in plans for cidr in (plan.public, plan.private)]
    assert all(subnet.subnet_of(ipaddress.ip_network("10.0.0.0/16")) for subnet in subnets)
    assert not any(one.overlaps(other) for one, other in itertools.combinations(subnets, 2))


def test_one_more_zone_moves_no_other():
    assert subnet_plans("10.0.0.0/16", ZONES)[:2] == subnet_plans("10.0.0.0/16", ZONES[:2])


@pytest.mark.parametrize("zones", [(), ("us-east-1a",), ("us-east-1a", "us-east-1a"), (*ZONES, "us-east-1d")])
def test_a_network_of_too_few_too_many_or_repeated_zones_is_refused(zones):
    with pytest.raises(ValueError, match="two or three different zones"):
        subnet_plans("10.0.0.0/16", zones)
