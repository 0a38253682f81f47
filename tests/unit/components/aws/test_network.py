import pytest

from moka.components.aws.network import Network, NetworkArgs, TransitGateway
from moka.pod_subnets import prefix_reservations

ZONES = ("us-east-1a", "us-east-1b", "us-east-1c")


def args(**changes):
    return NetworkArgs(**{"region": "us-east-1", "cidr": "10.0.0.0/16", "zones": ZONES, **changes})


def test_every_zone_has_a_public_and_a_private_subnet(deploy):
    stack = deploy(lambda: Network("moka", args()))

    assert stack.by_name("aws:ec2/subnet:Subnet").keys() == {
        f"moka-{kind}-{zone}" for kind in ("public", "private") for zone in ZONES
    }


def test_no_machine_gets_a_public_address_by_being_in_a_public_subnet(deploy):
    stack = deploy(lambda: Network("moka", args()))

    assert not any(subnet["mapPublicIpOnLaunch"] for subnet in stack.inputs("aws:ec2/subnet:Subnet"))


def test_with_a_gateway_a_zone_private_traffic_never_leaves_its_zone(deploy):
    stack = deploy(lambda: Network("moka", args(nat="zonal")))

    routes = stack.by_name("aws:ec2/route:Route")
    gateways = stack.by_name("aws:ec2/natGateway:NatGateway")
    for zone in ZONES:
        assert routes[f"moka-private-{zone}"]["natGatewayId"] == f"moka-{zone}-id"
        assert gateways[f"moka-{zone}"]["subnetId"] == f"moka-public-{zone}-id"


def test_a_single_gateway_serves_every_zone(deploy):
    stack = deploy(lambda: Network("moka", args(nat="single")))

    assert len(stack.inputs("aws:ec2/natGateway:NatGateway")) == 1
    routes = stack.by_name("aws:ec2/route:Route")
    assert {routes[f"moka-private-{zone}"]["natGatewayId"] for zone in ZONES} == {"moka-us-east-1a-id"}


def test_the_default_security_group_lets_nothing_through(deploy):
    stack = deploy(lambda: Network("moka", args()))

    [group] = stack.inputs("aws:ec2/defaultSecurityGroup:DefaultSecurityGroup")
    assert not group.get("ingress")
    assert not group.get("egress")


def test_private_subnets_reach_s3_past_the_nat_gateways(deploy):
    stack = deploy(lambda: Network("moka", args()))

    [endpoint] = stack.inputs("aws:ec2/vpcEndpoint:VpcEndpoint")
    assert endpoint["serviceName"] == "com.amazonaws.us-east-1.s3"
    assert set(endpoint["routeTableIds"]) == {f"moka-private-{zone}-id" for zone in ZONES}


PODS = ("100.64.0.0/16",)


def test_pods_have_a_subnet_in_every_zone_of_a_range_that_is_the_networks_first(deploy):
    stack = deploy(lambda: Network("moka", args(pod_cidrs=PODS)))

    [added] = stack.inputs("aws:ec2/vpcIpv4CidrBlockAssociation:VpcIpv4CidrBlockAssociation")
    assert added["cidrBlock"] == "100.64.0.0/16"
    subnets = stack.by_name("aws:ec2/subnet:Subnet")
    assert [subnets[f"moka-pods-{zone}"]["cidrBlock"] for zone in ZONES] == [
        "100.64.0.0/18",
        "100.64.64.0/18",
        "100.64.128.0/18",
    ]
    place = "moka:aws:Network$aws:ec2"
    association = f"{place}/vpcIpv4CidrBlockAssociation:VpcIpv4CidrBlockAssociation::moka-pods-100.64.0.0-16"
    subnet = stack.tree()[f"{place}/subnet:Subnet::moka-pods-us-east-1a"]
    assert any(urn.endswith(association.rpartition("$")[2]) for urn in subnet.dependencies)


def test_pods_leave_their_zone_the_way_its_nodes_do(deploy):
    stack = deploy(lambda: Network("moka", args(pod_cidrs=PODS)))

    ways = stack.by_name("aws:ec2/routeTableAssociation:RouteTableAssociation")
    for zone in ZONES:
        assert ways[f"moka-pods-{zone}"]["routeTableId"] == ways[f"moka-private-{zone}"]["routeTableId"]


def test_prefixes_have_a_place_in_every_subnet_of_pods_that_single_addresses_do_not_break_up(deploy):
    stack = deploy(lambda: Network("moka", args(pod_cidrs=PODS)))

    reserved = {}
    for reservation in stack.inputs("aws:ec2/subnetCidrReservation:SubnetCidrReservation"):
        assert reservation["reservationType"] == "prefix"
        reserved.setdefault(reservation["subnetId"], []).append(reservation["cidrBlock"])
    assert reserved == {
        f"moka-pods-{zone}-id": prefix_reservations(f"100.64.{number * 64}.0/18")
        for number, zone in enumerate(ZONES)
    }


def test_nodes_and_their_pods_share_subnets_in_which_nothing_is_reserved(deploy):
    stack = deploy(lambda: Network("moka", args()))

    assert stack.inputs("aws:ec2/subnetCidrReservation:SubnetCidrReservation") == []


def test_load_balancers_stay_out_of_the_subnets_of_pods(deploy):
    stack = deploy(lambda: Network("moka", args(pod_cidrs=PODS)))

    tags = stack.by_name("aws:ec2/subnet:Subnet")["moka-pods-us-east-1a"]["tags"]
    assert not any(key.startswith("kubernetes.io/role") for key in tags)


def test_without_ranges_of_their_own_pods_have_no_subnets(deploy):
    outputs = []
    stack = deploy(lambda: Network("moka", args()).pod_subnets.apply(outputs.append))

    assert not any("pods" in name for name in stack.by_name("aws:ec2/subnet:Subnet"))
    assert outputs == [{}]


def test_subnets_are_told_by_zone(deploy):
    outputs = []
    deploy(lambda: Network("moka", args(pod_cidrs=PODS)).pod_subnets.apply(outputs.append))

    assert outputs == [{zone: f"moka-pods-{zone}-id" for zone in ZONES}]


@pytest.mark.parametrize("retain", [True, False])
def test_network_and_subnets_are_protected_and_kept_unless_asked_otherwise(deploy, retain):
    stack = deploy(lambda: Network("moka", args(pod_cidrs=PODS, retain=retain)))

    lasting = [
        resource
        for resource in stack.tree().values()
        if resource.type in ("aws:ec2/vpc:Vpc", "aws:ec2/subnet:Subnet")
    ]
    assert len(lasting) == 1 + 3 * len(ZONES)
    assert {(resource.protect, resource.retainOnDelete) for resource in lasting} == {(retain, retain)}


def test_networks_behind_a_transit_gateway_have_a_way_in_every_zone(deploy):
    gateway = TransitGateway(id="tgw-0a1b2c3d4e5f60718", cidrs=("10.250.0.0/16", "10.251.0.0/16"))
    recorder = deploy(lambda: Network("net", args(transit_gateway=gateway)))

    [attachment] = recorder.inputs("aws:ec2transitgateway/vpcAttachment:VpcAttachment")
    routes = [
        (route["routeTableId"], route["destinationCidrBlock"])
        for route in recorder.inputs("aws:ec2/route:Route")
        if route.get("transitGatewayId") == gateway.id
    ]
    assert set(attachment["subnetIds"]) == {f"net-private-{zone}-id" for zone in args().zones}
    assert sorted(routes) == [
        (f"net-private-{zone}-id", cidr) for zone in args().zones for cidr in gateway.cidrs
    ]


def test_a_network_is_connected_to_no_other_unless_asked(deploy):
    recorder = deploy(lambda: Network("net", args()))

    assert recorder.inputs("aws:ec2transitgateway/vpcAttachment:VpcAttachment") == []
