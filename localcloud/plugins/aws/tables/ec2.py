"""Networks: VPCs, subnets, gateways, addresses, endpoints."""

from typing import Any

from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Change, Kind, P, Read, words
from localcloud.plugins.aws.tables._ec2 import arn, filter_by, tags_of


def vpc_attribute(operation_member: str, attribute: str) -> Read:
    """Shows an attribute of a VPC, as they all have calls of their own."""
    return Read(
        Call("describe_vpc_attribute", {"VpcId": ID, "Attribute": attribute}),
        properties={attribute: f"{operation_member}.Value"},
        all=False,
    )


def vpc_change(member: str, name: str) -> Change:
    """Changes an attribute of a VPC, as they all have calls of their own."""
    return Change((name,), Call("modify_vpc_attribute", {"VpcId": ID, member: {"Value": P(name)}}))


def default_of_vpc(operation: str, rule: tuple[str, str], at: str, **properties: str) -> Read:
    """Shows a thing that AWS makes with a VPC; `rule` is the filter that selects it."""
    filters = [*filter_by("vpc-id", ID), *filter_by(*rule)]
    return Read(Call(operation, {"Filters": filters}), at=at, properties=properties, all=False)


VPC = Kind(
    service="ec2",
    schema="AWS::EC2::VPC",
    inputs="cidrBlock instanceTenancy enableDnsSupport enableDnsHostnames enableNetworkAddressUsageMetrics",
    outputs="arn defaultNetworkAclId defaultRouteTableId defaultSecurityGroupId dhcpOptionsId "
    "mainRouteTableId ownerId",
    create=Call("create_vpc", rest=True),
    id="Vpc.VpcId",
    defaults={"enableDnsSupport": True, "instanceTenancy": "default"},
    computed=words("enableDnsHostnames enableNetworkAddressUsageMetrics cidrBlock"),
    reads=(
        Read(Call("describe_vpcs", {"VpcIds": [ID]}), at="Vpcs[0]"),
        vpc_attribute("EnableDnsSupport", "enableDnsSupport"),
        vpc_attribute("EnableDnsHostnames", "enableDnsHostnames"),
        vpc_attribute("EnableNetworkAddressUsageMetrics", "enableNetworkAddressUsageMetrics"),
        default_of_vpc(
            "describe_network_acls", ("default", "true"), "NetworkAcls[0]", defaultNetworkAclId="NetworkAclId"
        ),
        default_of_vpc(
            "describe_security_groups",
            ("group-name", "default"),
            "SecurityGroups[0]",
            defaultSecurityGroupId="GroupId",
        ),
        default_of_vpc(
            "describe_route_tables",
            ("association.main", "true"),
            "RouteTables[0]",
            mainRouteTableId="RouteTableId",
            defaultRouteTableId="RouteTableId",
        ),
    ),
    changes=(
        vpc_change("EnableDnsSupport", "enableDnsSupport"),
        vpc_change("EnableDnsHostnames", "enableDnsHostnames"),
        vpc_change("EnableNetworkAddressUsageMetrics", "enableNetworkAddressUsageMetrics"),
    ),
    delete=(Call("delete_vpc", {"VpcId": ID}),),
    tags=tags_of("vpc"),
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
    computed=words("availabilityZone availabilityZoneId"),
    reads=(Read(Call("describe_subnets", {"SubnetIds": [ID]}), at="Subnets[0]"),),
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
    tags=tags_of("subnet"),
    derived=arn("subnet"),
)


def detach(subject: Subject) -> None:
    """Detach an internet gateway from the VPC that it is attached to, if any."""
    answer = subject.request("describe_internet_gateways", InternetGatewayIds=[subject.id])
    for attachment in answer["InternetGateways"][0]["Attachments"]:
        subject.request("detach_internet_gateway", InternetGatewayId=subject.id, VpcId=attachment["VpcId"])


def attach(subject: Subject) -> None:
    """Attach an internet gateway to its VPC, and to no other."""
    detach(subject)
    vpc = subject.properties["vpcId"]
    subject.request("attach_internet_gateway", InternetGatewayId=subject.id, VpcId=vpc)


INTERNET_GATEWAY = Kind(
    service="ec2",
    schema="AWS::EC2::InternetGateway",
    inputs="vpcId",
    outputs="arn ownerId",
    create=Call("create_internet_gateway"),
    id="InternetGateway.InternetGatewayId",
    reads=(
        Read(
            Call("describe_internet_gateways", {"InternetGatewayIds": [ID]}),
            at="InternetGateways[0]",
            properties={"vpcId": "Attachments[0].VpcId"},
        ),
    ),
    changes=(Change(("vpcId",), attach, removal=detach),),
    delete=(detach, Call("delete_internet_gateway", {"InternetGatewayId": ID})),
    tags=tags_of("internet-gateway"),
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
    computed=words("domain networkBorderGroup publicIpv4Pool"),
    write_only=words("address"),
    reads=(
        Read(
            Call("describe_addresses", {"AllocationIds": [ID]}),
            at="Addresses[0]",
            properties={"privateIp": "PrivateIpAddress"},
        ),
    ),
    delete=(Call("release_address", {"AllocationId": ID}),),
    tags=tags_of("elastic-ip"),
    derived=arn("elastic-ip"),
)


def free_address(subject: Subject) -> None:
    """Free the address of a deleted gateway, as AWS does by itself and moto does not."""
    allocation = subject.properties.get("allocationId")
    if allocation:
        address = subject.request("describe_addresses", AllocationIds=[allocation])["Addresses"][0]
        if address.get("AssociationId"):
            subject.request("disassociate_address", AssociationId=address["AssociationId"])


NAT_GATEWAY = Kind(
    service="ec2",
    schema="AWS::EC2::NatGateway",
    inputs="subnetId allocationId connectivityType privateIp",
    outputs="associationId networkInterfaceId publicIp",
    create=Call("create_nat_gateway", rest=True),
    id="NatGateway.NatGatewayId",
    names={"privateIp": "PrivateIpAddress"},
    defaults={"connectivityType": "public"},
    computed=words("privateIp"),
    reads=(
        Read(
            # Deleted gateways are shown for an hour.
            Call(
                "describe_nat_gateways",
                {"NatGatewayIds": [ID], "Filter": [{"Name": "state", "Values": ["pending", "available"]}]},
            ),
            at="NatGateways[0]",
            properties={
                "allocationId": "NatGatewayAddresses[0].AllocationId",
                "associationId": "NatGatewayAddresses[0].AssociationId",
                "networkInterfaceId": "NatGatewayAddresses[0].NetworkInterfaceId",
                "privateIp": "NatGatewayAddresses[0].PrivateIp",
                "publicIp": "NatGatewayAddresses[0].PublicIp",
            },
        ),
    ),
    delete=(Call("delete_nat_gateway", {"NatGatewayId": ID}), free_address),
    tags=tags_of("natgateway"),
    schema_names={"privateIp": "PrivateIpAddress"},
)


def route_endpoint(subject: Subject) -> None:
    """Add routes to the endpoint to its tables and remove others, as AWS does by itself."""
    route = {"DestinationPrefixListId": subject.properties.get("prefixListId")}
    old, new = (set(inputs.get("routeTableIds") or ()) for inputs in (subject.old, subject.inputs))
    for table in sorted(old - new):
        subject.request("delete_route", RouteTableId=table, **route)
    for table in sorted(new - old):
        subject.request("create_route", RouteTableId=table, GatewayId=subject.id, **route)


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
    subject.request("modify_vpc_endpoint", VpcEndpointId=subject.id, **change)


def read_endpoint(subject: Subject) -> dict[str, Any] | None:
    """An endpoint; deleted ones are shown for a while."""
    operation = "describe_vpc_endpoints"
    existing = [{"Name": "vpc-endpoint-state", "Values": ["available", "pending"]}]
    answer = subject.request(operation, VpcEndpointIds=[subject.id], Filters=existing)
    if not answer["VpcEndpoints"]:
        return None
    groups = [group["GroupId"] for group in answer["VpcEndpoints"][0].get("Groups", ())]
    return {**subject.extract(operation, answer, "VpcEndpoints[0]"), "securityGroupIds": groups}


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
    computed=words("policy privateDnsEnabled routeTableIds subnetIds securityGroupIds"),
    documents=words("policy"),
    schema_names={"policy": "PolicyDocument"},
    unordered=words("routeTableIds subnetIds securityGroupIds"),
    reads=(
        Read(read_endpoint),
        Read(
            Call("describe_prefix_lists", {"Filters": filter_by("prefix-list-name", P("serviceName"))}),
            at="PrefixLists[0]",
            properties={"prefixListId": "PrefixListId"},
            all=False,
        ),
    ),
    changes=(
        Change(
            ("routeTableIds", "subnetIds", "securityGroupIds", "policy", "privateDnsEnabled"), set_endpoint
        ),
    ),
    delete=(Call("delete_vpc_endpoints", {"VpcEndpointIds": [ID]}),),
    tags=tags_of("vpc-endpoint"),
    derived=arn("vpc-endpoint"),
)


def read_range(subject: Subject) -> dict[str, Any] | None:
    """A further range of addresses of a VPC."""
    filters = filter_by("cidr-block-association.association-id", subject.id)
    for vpc in subject.request("describe_vpcs", Filters=filters)["Vpcs"]:
        for association in vpc["CidrBlockAssociationSet"]:
            associated = association["CidrBlockState"]["State"] == "associated"
            if association["AssociationId"] == subject.id and associated:
                return {"vpcId": vpc["VpcId"], "cidrBlock": association["CidrBlock"]}
    return None


VPC_IPV4_RANGE = Kind(
    service="ec2",
    schema="AWS::EC2::VPCCidrBlock",
    inputs="vpcId! cidrBlock",
    create=Call("associate_vpc_cidr_block", rest=True),
    id="CidrBlockAssociation.AssociationId",
    reads=(Read(read_range),),
    delete=(Call("disassociate_vpc_cidr_block", {"AssociationId": ID}),),
    exclusive=True,
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
