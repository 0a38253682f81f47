"""Networks: VPCs, subnets, gateways, addresses, endpoints."""

from typing import Any

from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Change, Kind, Look, P, words
from localcloud.plugins.aws.tables._ec2 import arn, filtered, tagged


def vpc_attribute(operation_member: str, attribute: str) -> Look:
    """Shows an attribute of a VPC; there is a call for each."""
    return Look(
        Call("describe_vpc_attribute", {"VpcId": ID, "Attribute": attribute}),
        gives={attribute: f"{operation_member}.Value"},
        all=False,
    )


def vpc_change(member: str, name: str) -> Change:
    """Changes an attribute of a VPC; there is a call for each."""
    return Change((name,), Call("modify_vpc_attribute", {"VpcId": ID, member: {"Value": P(name)}}))


VPC = Kind(
    service="ec2",
    schema="AWS::EC2::VPC",
    inputs="cidrBlock instanceTenancy enableDnsSupport enableDnsHostnames enableNetworkAddressUsageMetrics",
    outputs="arn defaultNetworkAclId defaultRouteTableId defaultSecurityGroupId dhcpOptionsId "
    "mainRouteTableId ownerId",
    create=Call("create_vpc", rest=True),
    id="Vpc.VpcId",
    defaults={"enableDnsSupport": True, "instanceTenancy": "default"},
    chosen=words("enableDnsHostnames enableNetworkAddressUsageMetrics cidrBlock"),
    looks=(
        Look(Call("describe_vpcs", {"VpcIds": [ID]}), at="Vpcs[0]"),
        vpc_attribute("EnableDnsSupport", "enableDnsSupport"),
        vpc_attribute("EnableDnsHostnames", "enableDnsHostnames"),
        vpc_attribute("EnableNetworkAddressUsageMetrics", "enableNetworkAddressUsageMetrics"),
        Look(
            Call(
                "describe_network_acls", {"Filters": [*filtered("vpc-id", ID), *filtered("default", "true")]}
            ),
            at="NetworkAcls[0]",
            gives={"defaultNetworkAclId": "NetworkAclId"},
            all=False,
        ),
        Look(
            Call(
                "describe_security_groups",
                {"Filters": [*filtered("vpc-id", ID), *filtered("group-name", "default")]},
            ),
            at="SecurityGroups[0]",
            gives={"defaultSecurityGroupId": "GroupId"},
            all=False,
        ),
        Look(
            Call(
                "describe_route_tables",
                {"Filters": [*filtered("vpc-id", ID), *filtered("association.main", "true")]},
            ),
            at="RouteTables[0]",
            gives={"mainRouteTableId": "RouteTableId", "defaultRouteTableId": "RouteTableId"},
            all=False,
        ),
    ),
    changes=(
        vpc_change("EnableDnsSupport", "enableDnsSupport"),
        vpc_change("EnableDnsHostnames", "enableDnsHostnames"),
        vpc_change("EnableNetworkAddressUsageMetrics", "enableNetworkAddressUsageMetrics"),
    ),
    delete=(Call("delete_vpc", {"VpcId": ID}),),
    tags=tagged("vpc"),
    derived=arn("vpc"),
)

SUBNET = Kind(
    service="ec2",
    schema="AWS::EC2::Subnet",
    inputs="vpcId! availabilityZone availabilityZoneId cidrBlock mapPublicIpOnLaunch",
    outputs="arn ownerId",
    create=Call("create_subnet", rest=True),
    id="Subnet.SubnetId",
    defaults={"mapPublicIpOnLaunch": False},
    chosen=words("availabilityZone availabilityZoneId"),
    looks=(Look(Call("describe_subnets", {"SubnetIds": [ID]}), at="Subnets[0]"),),
    changes=(
        Change(
            ("mapPublicIpOnLaunch",),
            Call(
                "modify_subnet_attribute",
                {"SubnetId": ID, "MapPublicIpOnLaunch": {"Value": P("mapPublicIpOnLaunch")}},
            ),
        ),
    ),
    delete=(Call("delete_subnet", {"SubnetId": ID}),),
    tags=tagged("subnet"),
    derived=arn("subnet"),
)


def detach(subject: Subject) -> None:
    """Detach an internet gateway from the VPC that it is attached to, if any."""
    gateway = subject.ask("describe_internet_gateways", InternetGatewayIds=[subject.id])["InternetGateways"][
        0
    ]
    for attached in gateway["Attachments"]:
        subject.ask("detach_internet_gateway", InternetGatewayId=subject.id, VpcId=attached["VpcId"])


def attach(subject: Subject) -> None:
    """Attach an internet gateway to its VPC, and to no other."""
    detach(subject)
    subject.ask("attach_internet_gateway", InternetGatewayId=subject.id, VpcId=subject.properties["vpcId"])


INTERNET_GATEWAY = Kind(
    service="ec2",
    schema="AWS::EC2::InternetGateway",
    inputs="vpcId",
    outputs="arn ownerId",
    create=Call("create_internet_gateway"),
    id="InternetGateway.InternetGatewayId",
    looks=(
        Look(
            Call("describe_internet_gateways", {"InternetGatewayIds": [ID]}),
            at="InternetGateways[0]",
            gives={"vpcId": "Attachments[0].VpcId"},
        ),
    ),
    changes=(Change(("vpcId",), attach, without=detach),),
    delete=(detach, Call("delete_internet_gateway", {"InternetGatewayId": ID})),
    tags=tagged("internet-gateway"),
    derived=arn("internet-gateway"),
)

EIP = Kind(
    service="ec2",
    schema="AWS::EC2::EIP",
    inputs="domain address networkBorderGroup publicIpv4Pool",
    outputs="allocationId arn associationId privateIp publicIp publicDns",
    create=Call("allocate_address", rest=True),
    id="AllocationId",
    defaults={},
    chosen=words("domain networkBorderGroup publicIpv4Pool"),
    unanswered=words("address"),
    looks=(
        Look(
            Call("describe_addresses", {"AllocationIds": [ID]}),
            at="Addresses[0]",
            gives={"privateIp": "PrivateIpAddress"},
        ),
    ),
    delete=(Call("release_address", {"AllocationId": ID}),),
    tags=tagged("elastic-ip"),
    derived=arn("elastic-ip"),
)


def free_address(subject: Subject) -> None:
    """Free the address of a gateway that is gone, as AWS does by itself and moto does not."""
    allocation = subject.properties.get("allocationId")
    if allocation:
        address = subject.ask("describe_addresses", AllocationIds=[allocation])["Addresses"][0]
        if address.get("AssociationId"):
            subject.ask("disassociate_address", AssociationId=address["AssociationId"])


NAT_GATEWAY = Kind(
    service="ec2",
    schema="AWS::EC2::NatGateway",
    inputs="subnetId allocationId connectivityType privateIp",
    outputs="associationId networkInterfaceId publicIp",
    create=Call("create_nat_gateway", rest=True),
    id="NatGateway.NatGatewayId",
    names={"privateIp": "PrivateIpAddress"},
    defaults={"connectivityType": "public"},
    chosen=words("privateIp"),
    looks=(
        Look(
            # Deleted gateways are shown for an hour.
            Call(
                "describe_nat_gateways",
                {"NatGatewayIds": [ID], "Filter": [{"Name": "state", "Values": ["pending", "available"]}]},
            ),
            at="NatGateways[0]",
            gives={
                "allocationId": "NatGatewayAddresses[0].AllocationId",
                "associationId": "NatGatewayAddresses[0].AssociationId",
                "networkInterfaceId": "NatGatewayAddresses[0].NetworkInterfaceId",
                "privateIp": "NatGatewayAddresses[0].PrivateIp",
                "publicIp": "NatGatewayAddresses[0].PublicIp",
            },
        ),
    ),
    delete=(Call("delete_nat_gateway", {"NatGatewayId": ID}), free_address),
    tags=tagged("natgateway"),
    schema_names={"privateIp": "PrivateIpAddress"},
)


def route_endpoint(subject: Subject) -> None:
    """Route what the endpoint serves to it in its tables and no others, as AWS does by itself."""
    route = {"DestinationPrefixListId": subject.properties.get("prefixListId")}
    old, new = (set(each.get("routeTableIds") or ()) for each in (subject.old, subject.inputs))
    for table in sorted(old - new):
        subject.ask("delete_route", RouteTableId=table, **route)
    for table in sorted(new - old):
        subject.ask("create_route", RouteTableId=table, GatewayId=subject.id, **route)


def set_endpoint(subject: Subject) -> None:
    """Bring an endpoint's tables, subnets, groups and policy to what they should be."""
    route_endpoint(subject)
    change: dict[str, Any] = {}
    for name, add, remove in (
        ("routeTableIds", "AddRouteTableIds", "RemoveRouteTableIds"),
        ("subnetIds", "AddSubnetIds", "RemoveSubnetIds"),
        ("securityGroupIds", "AddSecurityGroupIds", "RemoveSecurityGroupIds"),
    ):
        old, new = set(subject.old.get(name) or ()), set(subject.inputs.get(name) or ())
        change |= {member: sorted(ids) for member, ids in ((add, new - old), (remove, old - new)) if ids}
    if subject.inputs.get("policy"):
        change["PolicyDocument"] = subject.inputs["policy"]
    elif subject.old.get("policy"):
        change["ResetPolicy"] = True
    if subject.inputs.get("privateDnsEnabled") is not None:
        change["PrivateDnsEnabled"] = subject.inputs["privateDnsEnabled"]
    subject.ask("modify_vpc_endpoint", VpcEndpointId=subject.id, **change)


def shown_endpoint(subject: Subject) -> dict[str, Any] | None:
    """An endpoint; deleted ones are shown for a while."""
    operation = "describe_vpc_endpoints"
    there = [{"Name": "vpc-endpoint-state", "Values": ["available", "pending"]}]
    answer = subject.ask(operation, VpcEndpointIds=[subject.id], Filters=there)
    if not answer["VpcEndpoints"]:
        return None
    groups = [each["GroupId"] for each in answer["VpcEndpoints"][0].get("Groups", ())]
    return {**subject.shown(operation, answer, "VpcEndpoints[0]"), "securityGroupIds": groups}


VPC_ENDPOINT = Kind(
    service="ec2",
    schema="AWS::EC2::VPCEndpoint",
    inputs="vpcId! serviceName vpcEndpointType routeTableIds subnetIds securityGroupIds policy "
    "privateDnsEnabled",
    outputs="arn dnsEntries networkInterfaceIds ownerId requesterManaged state prefixListId",
    create=Call("create_vpc_endpoint", rest=True),
    id="VpcEndpoint.VpcEndpointId",
    names={"policy": "PolicyDocument"},
    defaults={"vpcEndpointType": "Gateway"},
    chosen=words("policy privateDnsEnabled routeTableIds subnetIds securityGroupIds"),
    documents=words("policy"),
    schema_names={"policy": "PolicyDocument"},
    unordered=words("routeTableIds subnetIds securityGroupIds"),
    looks=(
        Look(shown_endpoint),
        Look(
            Call("describe_prefix_lists", {"Filters": filtered("prefix-list-name", P("serviceName"))}),
            at="PrefixLists[0]",
            gives={"prefixListId": "PrefixListId"},
            all=False,
        ),
    ),
    changes=(
        Change(
            ("routeTableIds", "subnetIds", "securityGroupIds", "policy", "privateDnsEnabled"), set_endpoint
        ),
    ),
    delete=(Call("delete_vpc_endpoints", {"VpcEndpointIds": [ID]}),),
    tags=tagged("vpc-endpoint"),
    derived=arn("vpc-endpoint"),
)


def shown_range(subject: Subject) -> dict[str, Any] | None:
    """A further range of addresses of a VPC."""
    shown = subject.ask(
        "describe_vpcs", Filters=filtered("cidr-block-association.association-id", subject.id)
    )
    for vpc in shown["Vpcs"]:
        for each in vpc["CidrBlockAssociationSet"]:
            there = each["CidrBlockState"]["State"] == "associated"
            if each["AssociationId"] == subject.id and there:
                return {"vpcId": vpc["VpcId"], "cidrBlock": each["CidrBlock"]}
    return None


VPC_IPV4_RANGE = Kind(
    service="ec2",
    schema="AWS::EC2::VPCCidrBlock",
    inputs="vpcId! cidrBlock",
    create=Call("associate_vpc_cidr_block", rest=True),
    id="CidrBlockAssociation.AssociationId",
    looks=(Look(shown_range),),
    delete=(Call("disassociate_vpc_cidr_block", {"AssociationId": ID}),),
    alone=True,
)

TYPES = {
    "aws:ec2/vpc:Vpc": VPC,
    "aws:ec2/vpcIpv4CidrBlockAssociation:VpcIpv4CidrBlockAssociation": VPC_IPV4_RANGE,
    "aws:ec2/subnet:Subnet": SUBNET,
    "aws:ec2/internetGateway:InternetGateway": INTERNET_GATEWAY,
    "aws:ec2/eip:Eip": EIP,
    "aws:ec2/natGateway:NatGateway": NAT_GATEWAY,
    "aws:ec2/vpcEndpoint:VpcEndpoint": VPC_ENDPOINT,
}
