"""Networks, addresses and endpoints of EC2: an example of every type, and how it is changed by hand."""

from typing import Any

from localcloud.engine import Resource
from tests.local.aws.examples.example import (
    OTHER_TAGS,
    POLICY_FOR_ANYBODY,
    TAGS,
    Bases,
    Changes,
    Console,
    Example,
    add_tag,
    resource_policy,
)


def public_subnet(world: Any) -> Any:
    """A subnet, once its VPC has an internet gateway."""
    return world.gateway and world.subnet


BASES: Bases = {
    "vpc": lambda w: ("aws:ec2/vpc:Vpc", {"cidrBlock": "10.0.0.0/16", "enableDnsHostnames": True}),
    "other_vpc": lambda w: ("aws:ec2/vpc:Vpc", {"cidrBlock": "10.9.0.0/16"}),
    "subnet": lambda w: (
        "aws:ec2/subnet:Subnet",
        {"vpcId": w.vpc, "cidrBlock": "10.0.0.0/24", "availabilityZone": "us-east-1a"},
    ),
    "other_subnet": lambda w: (
        "aws:ec2/subnet:Subnet",
        {"vpcId": w.vpc, "cidrBlock": "10.0.1.0/24", "availabilityZone": "us-east-1b"},
    ),
    "gateway": lambda w: ("aws:ec2/internetGateway:InternetGateway", {"vpcId": w.vpc}),
    "address": lambda w: ("aws:ec2/eip:Eip", {"domain": "vpc"}),
    "nat_address": lambda w: ("aws:ec2/eip:Eip", {"domain": "vpc"}),
    "nat": lambda w: (
        "aws:ec2/natGateway:NatGateway",
        {"subnetId": public_subnet(w), "allocationId": w.nat_address},
    ),
}

EXAMPLES = [
    Example(
        "aws:ec2/vpc:Vpc",
        lambda w: {"cidrBlock": "10.0.0.0/16", "enableDnsHostnames": True, "tags": TAGS},
        lambda w: {"enableDnsHostnames": False, "enableDnsSupport": False, "tags": OTHER_TAGS},
        lambda w: {"cidrBlock": "10.1.0.0/16"},
    ),
    Example(
        "aws:ec2/subnet:Subnet",
        lambda w: {
            "vpcId": w.vpc,
            "cidrBlock": "10.0.8.0/24",
            "availabilityZone": "us-east-1b",
            "mapPublicIpOnLaunch": True,
            "assignIpv6AddressOnCreation": False,
            "tags": TAGS,
        },
        lambda w: {"mapPublicIpOnLaunch": False, "tags": OTHER_TAGS},
        lambda w: {"availabilityZone": "us-east-1c"},
    ),
    Example(
        "aws:ec2/internetGateway:InternetGateway",
        lambda w: {"vpcId": w.vpc, "tags": TAGS},
        lambda w: {"vpcId": w.other_vpc, "tags": OTHER_TAGS},
    ),
    Example("aws:ec2/eip:Eip", lambda w: {"domain": "vpc", "tags": TAGS}, lambda w: {"tags": OTHER_TAGS}),
    Example(
        "aws:ec2/natGateway:NatGateway",
        lambda w: {"subnetId": public_subnet(w), "allocationId": w.address, "tags": TAGS},
        lambda w: {"tags": OTHER_TAGS},
        lambda w: {"subnetId": w.other_subnet},
    ),
    Example(
        "aws:ec2/vpcEndpoint:VpcEndpoint",
        lambda w: {
            "vpcId": w.vpc,
            "serviceName": "com.amazonaws.us-east-1.s3",
            "routeTableIds": [w.table],
            "tags": TAGS,
        },
        lambda w: {
            "routeTableIds": [w.other_table],
            "policy": resource_policy("s3:GetObject"),
            "tags": OTHER_TAGS,
        },
        lambda w: {"serviceName": "com.amazonaws.us-east-1.dynamodb"},
    ),
    Example(
        "aws:ec2/vpcEndpoint:VpcEndpoint",
        lambda w: {
            "vpcId": w.vpc,
            "serviceName": "com.amazonaws.us-east-1.sts",
            "vpcEndpointType": "Interface",
            "subnetIds": [w.subnet],
            "securityGroupIds": [w.group],
            "privateDnsEnabled": True,
            "policy": resource_policy("s3:GetObject"),
            "tags": TAGS,
        },
        lambda w: {
            "subnetIds": [w.subnet, w.other_subnet],
            "securityGroupIds": [w.other_group],
            "privateDnsEnabled": False,
            "policy": resource_policy("s3:PutObject"),
            "tags": OTHER_TAGS,
        },
        lambda w: {"vpcEndpointType": "GatewayLoadBalancer"},
        label="-interface",
    ),
    Example(
        "aws:ec2/subnetCidrReservation:SubnetCidrReservation",
        lambda w: {
            "subnetId": w.subnet,
            "cidrBlock": "10.0.0.128/25",
            "reservationType": "prefix",
            "description": "pods",
        },
        replace=lambda w: {"cidrBlock": "10.0.0.64/26"},
        imported=lambda resource: f"{resource.inputs['subnetId']}:{resource.id}",
    ),
    Example(
        "aws:ec2/vpcIpv4CidrBlockAssociation:VpcIpv4CidrBlockAssociation",
        lambda w: {"vpcId": w.vpc, "cidrBlock": "100.64.0.0/16"},
        replace=lambda w: {"cidrBlock": "100.65.0.0/16"},
    ),
]


def change_vpc(console: Console, resource: Resource) -> None:
    off = {"Value": not resource.outputs["enableDnsHostnames"]}
    console.client("ec2").modify_vpc_attribute(VpcId=resource.id, EnableDnsHostnames=off)
    add_tag(console, resource)


def change_subnet(console: Console, resource: Resource) -> None:
    public = {"Value": not resource.outputs["mapPublicIpOnLaunch"]}
    console.client("ec2").modify_subnet_attribute(SubnetId=resource.id, MapPublicIpOnLaunch=public)


def change_endpoint(console: Console, resource: Resource) -> None:
    if "policy" in resource.inputs:
        console.client("ec2").modify_vpc_endpoint(
            VpcEndpointId=resource.id, PolicyDocument=POLICY_FOR_ANYBODY
        )
    add_tag(console, resource)


CHANGES_BY_HAND: Changes = {
    "aws:ec2/eip:Eip": add_tag,
    "aws:ec2/internetGateway:InternetGateway": add_tag,
    "aws:ec2/natGateway:NatGateway": add_tag,
    "aws:ec2/subnet:Subnet": change_subnet,
    "aws:ec2/subnetCidrReservation:SubnetCidrReservation": None,
    "aws:ec2/vpc:Vpc": change_vpc,
    "aws:ec2/vpcEndpoint:VpcEndpoint": change_endpoint,
    "aws:ec2/vpcIpv4CidrBlockAssociation:VpcIpv4CidrBlockAssociation": None,
}
