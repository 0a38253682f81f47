"""Networks: VPCs, subnets, gateways, addresses, endpoints."""

from typing import Any

from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Change, Kind, P, Read, words
from localcloud.plugins.aws.tables._ec2 import arn, filters, operation, row, tags_of

VPC_ATTRIBUTES = ("enableDnsSupport", "enableDnsHostnames", "enableNetworkAddressUsageMetrics")
"""Attributes of a VPC; there is a call for each."""


def member_name(name: str) -> str:
    """Name of an attribute in requests and answers."""
    return name[0].upper() + name[1:]


def vpc_attribute(name: str) -> Read:
    """Shows an attribute of a VPC, as they all have calls of their own."""
    call = Call("describe_vpc_attribute", {"VpcId": ID, "Attribute": name})
    return Read(call, properties={name: f"{member_name(name)}.Value"}, all=False)


def vpc_change(name: str) -> Change:
    """Changes an attribute of a VPC, as they all have calls of their own."""
    return Change((name,), Call("modify_vpc_attribute", {"VpcId": ID, member_name(name): {"Value": P(name)}}))


def default_of_vpc(noun: str, filter: dict[str, str], **properties: str) -> Read:
    """Shows a thing that AWS makes with a VPC; `filter` selects it."""
    call = Call(operation("describe", f"{noun}s"), {"Filters": filters({"vpc-id": ID, **filter})})
    return Read(call, at=f"{noun}s[0]", properties=properties, all=False)


VPC = row(
    "Vpc",
    "vpc",
    schema="AWS::EC2::VPC",
    inputs="cidrBlock instanceTenancy enableDnsSupport enableDnsHostnames enableNetworkAddressUsageMetrics",
    outputs="arn defaultNetworkAclId defaultRouteTableId defaultSecurityGroupId dhcpOptionsId "
    "mainRouteTableId ownerId",
    defaults={"enableDnsSupport": True, "instanceTenancy": "default"},
    fixed={"assignGeneratedIpv6CidrBlock": False},
    computed=words("enableDnsHostnames enableNetworkAddressUsageMetrics cidrBlock"),
    reads=(
        *map(vpc_attribute, VPC_ATTRIBUTES),
        default_of_vpc("NetworkAcl", {"default": "true"}, defaultNetworkAclId="NetworkAclId"),
        default_of_vpc("SecurityGroup", {"group-name": "default"}, defaultSecurityGroupId="GroupId"),
        default_of_vpc(
            "RouteTable",
            {"association.main": "true"},
            mainRouteTableId="RouteTableId",
            defaultRouteTableId="RouteTableId",
        ),
    ),
    changes=tuple(map(vpc_change, VPC_ATTRIBUTES)),
)

MAP_PUBLIC_IP = {"SubnetId": ID, "MapPublicIpOnLaunch": {"Value": P("mapPublicIpOnLaunch")}}

# Off by default: https://registry.terraform.io/providers/hashicorp/aws/latest/docs/resources/subnet
SUBNET_SWITCHES = (
    "assignIpv6AddressOnCreation",
    "mapCustomerOwnedIpOnLaunch",
    "enableDns64",
    "enableResourceNameDnsARecordOnLaunch",
    "enableResourceNameDnsAaaaRecordOnLaunch",
    "ipv6Native",
)

SUBNET = row(
    "Subnet",
    "subnet",
    inputs="vpcId! availabilityZone availabilityZoneId cidrBlock mapPublicIpOnLaunch",
    outputs="arn ownerId",
    defaults={"mapPublicIpOnLaunch": False},
    fixed={**dict.fromkeys(SUBNET_SWITCHES, False), "privateDnsHostnameTypeOnLaunch": "ip-name"},
    computed=words("availabilityZone availabilityZoneId"),
    changes=(Change(("mapPublicIpOnLaunch",), Call("modify_subnet_attribute", MAP_PUBLIC_IP)),),
)


def detach(subject: Subject) -> None:
    """Detach an internet gateway from the VPC that it is attached to, if any."""
    answer = subject.request("describe_internet_gateways", InternetGatewayIds=[subject.id])
    for attachment in answer["InternetGateways"][0]["Attachments"]:
        subject.request("detach_internet_gateway", InternetGatewayId=subject.id, VpcId=attachment["VpcId"])


def attach(subject: Subject) -> None:
    """Attach an internet gateway to its VPC, and to no other."""
    detach(subject)
    subject.request(
        "attach_internet_gateway", InternetGatewayId=subject.id, VpcId=subject.properties["vpcId"]
    )


INTERNET_GATEWAY = row(
    "InternetGateway",
    "internet-gateway",
    inputs="vpcId",
    outputs="arn ownerId",
    create=Call("create_internet_gateway"),
    properties={"vpcId": "Attachments[0].VpcId"},
    changes=(Change(("vpcId",), attach, removal=detach),),
    delete=(detach, Call("delete_internet_gateway", {"InternetGatewayId": ID})),
)


def associate(subject: Subject) -> None:
    """Give an address to its instance or interface, and to nothing else."""
    [address] = subject.request("describe_addresses", AllocationIds=[subject.id])["Addresses"]
    if address.get("AssociationId"):
        subject.request("disassociate_address", AssociationId=address["AssociationId"])
    if any(subject.inputs.get(name) for name in ("instance", "networkInterface")):
        key = {"AllocationId": ID, "InstanceId": P("instance"), "NetworkInterfaceId": P("networkInterface")}
        subject.call(Call("associate_address", {**key, "PrivateIpAddress": P("associateWithPrivateIp")}))


def take_back(subject: Subject) -> None:
    """Take an address from what the program gave it to; one that a NAT gateway has stays there."""
    if any(subject.inputs.get(name) for name in ("instance", "networkInterface")):
        [address] = subject.request("describe_addresses", AllocationIds=[subject.id])["Addresses"]
        if address.get("AssociationId"):
            subject.request("disassociate_address", AssociationId=address["AssociationId"])


EIP = Kind(
    service="ec2",
    schema="AWS::EC2::EIP",
    inputs="domain address networkBorderGroup publicIpv4Pool "
    "instance networkInterface associateWithPrivateIp",
    outputs="allocationId arn associationId privateIp publicIp publicDns",
    names={"instance": "InstanceId", "networkInterface": "NetworkInterfaceId"},
    schema_names={"instance": "InstanceId"},
    create=Call("allocate_address", other_inputs=True),
    id="AllocationId",
    computed=words("domain networkBorderGroup publicIpv4Pool instance networkInterface"),
    write_only=words("address associateWithPrivateIp"),
    changes=(Change(("instance", "networkInterface", "associateWithPrivateIp"), associate),),
    reads=(
        Read(
            Call("describe_addresses", {"AllocationIds": [ID]}),
            at="Addresses[0]",
            properties={"privateIp": "PrivateIpAddress"},
        ),
    ),
    delete=(take_back, Call("release_address", {"AllocationId": ID})),
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
    create=Call("create_nat_gateway", other_inputs=True),
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


ENDPOINT_IDS = ("routeTableIds", "subnetIds", "securityGroupIds")


def set_endpoint(subject: Subject) -> None:
    """Give an endpoint the tables, subnets, groups and policy of the program."""
    route_endpoint(subject)
    change: dict[str, Any] = {}
    for name in ENDPOINT_IDS:
        old, new = set(subject.old.get(name) or ()), set(subject.inputs.get(name) or ())
        for verb, ids in (("Add", new - old), ("Remove", old - new)):
            if ids:
                change[verb + member_name(name)] = sorted(ids)
    if subject.inputs.get("policy"):
        change["PolicyDocument"] = subject.inputs["policy"]
    elif subject.old.get("policy"):
        change["ResetPolicy"] = True
    if subject.inputs.get("privateDnsEnabled") is not None:
        change["PrivateDnsEnabled"] = subject.inputs["privateDnsEnabled"]
    subject.request("modify_vpc_endpoint", VpcEndpointId=subject.id, **change)


def read_endpoint(subject: Subject) -> dict[str, Any] | None:
    """An endpoint; deleted ones are shown for a while."""
    describe = "describe_vpc_endpoints"
    states = [{"Name": "vpc-endpoint-state", "Values": ["available", "pending"]}]
    answer = subject.request(describe, VpcEndpointIds=[subject.id], Filters=states)
    if not answer["VpcEndpoints"]:
        return None
    groups = [group["GroupId"] for group in answer["VpcEndpoints"][0].get("Groups", ())]
    return {**subject.extract(describe, answer, "VpcEndpoints[0]"), "securityGroupIds": groups}


VPC_ENDPOINT = Kind(
    service="ec2",
    schema="AWS::EC2::VPCEndpoint",
    inputs="vpcId! serviceName vpcEndpointType routeTableIds subnetIds securityGroupIds policy "
    "privateDnsEnabled",
    outputs="arn dnsEntries networkInterfaceIds ownerId requesterManaged state prefixListId",
    create=Call("create_vpc_endpoint", other_inputs=True),
    id="VpcEndpoint.VpcEndpointId",
    names={"policy": "PolicyDocument"},
    defaults={"vpcEndpointType": "Gateway"},
    fixed={"autoAccept": False, "ipAddressType": "ipv4"},
    computed=words("policy privateDnsEnabled routeTableIds subnetIds securityGroupIds"),
    documents=words("policy"),
    schema_names={"policy": "PolicyDocument"},
    unordered=words("routeTableIds subnetIds securityGroupIds"),
    reads=(
        Read(read_endpoint),
        Read(
            Call("describe_prefix_lists", {"Filters": filters({"prefix-list-name": P("serviceName")})}),
            at="PrefixLists[0]",
            properties={"prefixListId": "PrefixListId"},
            all=False,
        ),
    ),
    changes=(Change((*ENDPOINT_IDS, "policy", "privateDnsEnabled"), set_endpoint),),
    delete=(Call("delete_vpc_endpoints", {"VpcEndpointIds": [ID]}),),
    tags=tags_of("vpc-endpoint"),
    derived=arn("vpc-endpoint"),
)


def read_range(subject: Subject) -> dict[str, Any] | None:
    """A further range of addresses of a VPC."""
    by_id = filters({"cidr-block-association.association-id": subject.id})
    for vpc in subject.request("describe_vpcs", Filters=by_id)["Vpcs"]:
        for association in vpc["CidrBlockAssociationSet"]:
            associated = association["CidrBlockState"]["State"] == "associated"
            if association["AssociationId"] == subject.id and associated:
                return {"vpcId": vpc["VpcId"], "cidrBlock": association["CidrBlock"]}
    return None


VPC_IPV4_RANGE = Kind(
    service="ec2",
    schema="AWS::EC2::VPCCidrBlock",
    inputs="vpcId! cidrBlock",
    create=Call("associate_vpc_cidr_block", other_inputs=True),
    id="CidrBlockAssociation.AssociationId",
    reads=(Read(read_range),),
    delete=(Call("disassociate_vpc_cidr_block", {"AssociationId": ID}),),
    exclusive=True,
)


def read_reservation(subject: Subject) -> dict[str, Any] | None:
    """A range that is reserved in a subnet. Its id to import is `<subnet>:<reservation>`."""
    if ":" in subject.id:
        subject.properties["subnetId"], _, subject.id = subject.id.partition(":")
    answer = subject.request("get_subnet_cidr_reservations", SubnetId=subject.properties["subnetId"])
    for reservation in (*answer["SubnetIpv4CidrReservations"], *answer["SubnetIpv6CidrReservations"]):
        if reservation["SubnetCidrReservationId"] == subject.id:
            return {
                "subnetId": reservation["SubnetId"],
                "cidrBlock": reservation["Cidr"],
                "reservationType": reservation["ReservationType"],
                "description": reservation.get("Description"),
                "ownerId": reservation["OwnerId"],
            }
    return None


# cfn-lint's data of CloudFormation has no type for it.
SUBNET_RESERVATION = Kind(
    service="ec2",
    schema="AWS::EC2::Subnet",
    inputs="subnetId! cidrBlock! reservationType! description",
    outputs="ownerId",
    names={"cidrBlock": "Cidr"},
    create=Call("create_subnet_cidr_reservation", other_inputs=True),
    id="SubnetCidrReservation.SubnetCidrReservationId",
    reads=(Read(read_reservation),),
    delete=(Call("delete_subnet_cidr_reservation", {"SubnetCidrReservationId": ID}),),
    exclusive=True,
)

TYPES = {
    "aws:ec2/subnetCidrReservation:SubnetCidrReservation": SUBNET_RESERVATION,
    "aws:ec2/vpc:Vpc": VPC,
    "aws:ec2/vpcIpv4CidrBlockAssociation:VpcIpv4CidrBlockAssociation": VPC_IPV4_RANGE,
    "aws:ec2/subnet:Subnet": SUBNET,
    "aws:ec2/internetGateway:InternetGateway": INTERNET_GATEWAY,
    "aws:ec2/eip:Eip": EIP,
    "aws:ec2/natGateway:NatGateway": NAT_GATEWAY,
    "aws:ec2/vpcEndpoint:VpcEndpoint": VPC_ENDPOINT,
}
