"""Rows of the network: VPC, subnets, ways in and out."""

from accounts.permissions.databases import has_database
from accounts.permissions.row import PROVIDER, REFERENCE, TRANSIT_GATEWAY_GUIDE, Row
from stacks.settings import Environment
from stacks.settings.foundation import Foundation

EC2 = f"{PROVIDER}ec2/"
ROUTE_TABLE_READS = "ec2:GetTransitGatewayRouteTableAssociations ec2:GetTransitGatewayRouteTablePropagations"


def makes_network(settings: Environment, name: str, foundation: Foundation) -> bool:
    """It makes a VPC of its own."""
    return foundation.network is not None


def has_pod_ranges(settings: Environment, name: str, foundation: Foundation) -> bool:
    """Its VPC has further ranges, for pods."""
    return foundation.network is not None and bool(foundation.network.pod_cidrs)


def joins_transit_gateway(settings: Environment, name: str, foundation: Foundation) -> bool:
    """Its VPC is attached to a transit gateway."""
    return foundation.network is not None and foundation.network.transit_gateway is not None


def has_interface_endpoints(settings: Environment, name: str, foundation: Foundation) -> bool:
    """AWS's services are reached inside its VPC."""
    return foundation.network is not None and foundation.network.interface_endpoints


def has_security_groups(settings: Environment, name: str, foundation: Foundation) -> bool:
    """Endpoints or a database have one of their own."""
    return has_interface_endpoints(settings, name, foundation) or has_database(settings, name, foundation)


def lets_in(settings: Environment, name: str, foundation: Foundation) -> bool:
    """Security groups have rules of ours: of API servers, or of a database."""
    return lets_networks_in(settings, name, foundation) or has_database(settings, name, foundation)


def lets_networks_in(settings: Environment, name: str, foundation: Foundation) -> bool:
    """Private API servers are reached from beyond the nodes."""
    groups = foundation.api_access.security_groups
    return any(groups or settings.api_networks(cluster) for cluster in settings.clusters_of(name))


TAGS = "ec2:CreateTags ec2:DeleteTags"

ROWS = (
    Row(
        type="aws:ec2/vpc:Vpc",
        schemas="AWS::EC2::VPC",
        create="ec2:CreateVpc ec2:ModifyVpcAttribute ec2:CreateTags",
        read="ec2:DescribeVpcs ec2:DescribeVpcAttribute ec2:DescribeNetworkAcls ec2:DescribeSecurityGroups "
        "ec2:DescribeRouteTables",
        update=f"ec2:ModifyVpcAttribute {TAGS}",
        delete="ec2:DeleteVpc",
        beyond={"ec2:DescribeRouteTables": f"{EC2}vpc_.go"},
        when=makes_network,
    ),
    Row(
        type="aws:ec2/vpcIpv4CidrBlockAssociation:VpcIpv4CidrBlockAssociation",
        schemas="AWS::EC2::VPCCidrBlock",
        create="ec2:AssociateVpcCidrBlock",
        read="ec2:DescribeVpcs",
        delete="ec2:DisassociateVpcCidrBlock",
        when=has_pod_ranges,
    ),
    Row(
        type="aws:ec2/defaultSecurityGroup:DefaultSecurityGroup",
        schemas="AWS::EC2::SecurityGroup",
        create="ec2:RevokeSecurityGroupIngress ec2:RevokeSecurityGroupEgress ec2:CreateTags",
        read="ec2:DescribeSecurityGroups",
        update=TAGS,
        when=makes_network,
    ),
    Row(
        type="aws:ec2/subnet:Subnet",
        schemas="AWS::EC2::Subnet",
        create="ec2:CreateSubnet ec2:ModifySubnetAttribute ec2:CreateTags",
        read="ec2:DescribeSubnets",
        update=f"ec2:ModifySubnetAttribute {TAGS}",
        delete="ec2:DeleteSubnet ec2:DescribeNetworkInterfaces",
        beyond={"ec2:DescribeNetworkInterfaces": f"{EC2}vpc_subnet.go, which waits for interfaces of others"},
        when=makes_network,
    ),
    Row(
        type="aws:ec2/subnetCidrReservation:SubnetCidrReservation",
        create="ec2:CreateSubnetCidrReservation",
        read="ec2:GetSubnetCidrReservations",
        delete="ec2:DeleteSubnetCidrReservation",
        beyond=dict.fromkeys(
            (
                "ec2:CreateSubnetCidrReservation",
                "ec2:GetSubnetCidrReservations",
                "ec2:DeleteSubnetCidrReservation",
            ),
            f"{EC2}vpc_subnet_cidr_reservation.go",
        ),
        when=has_pod_ranges,
    ),
    Row(
        type="aws:ec2/routeTable:RouteTable",
        schemas="AWS::EC2::RouteTable AWS::EC2::SubnetRouteTableAssociation",
        create="ec2:CreateRouteTable ec2:CreateTags",
        read="ec2:DescribeRouteTables",
        update=TAGS,
        delete="ec2:DeleteRouteTable ec2:DisassociateRouteTable",
        when=makes_network,
    ),
    Row(
        type="aws:ec2/route:Route",
        schemas="AWS::EC2::Route",
        create="ec2:CreateRoute",
        read="ec2:DescribeRouteTables",
        update="ec2:ReplaceRoute",
        delete="ec2:DeleteRoute",
        when=makes_network,
    ),
    Row(
        type="aws:ec2/routeTableAssociation:RouteTableAssociation",
        schemas="AWS::EC2::SubnetRouteTableAssociation",
        create="ec2:AssociateRouteTable",
        read="ec2:DescribeRouteTables",
        update="ec2:ReplaceRouteTableAssociation",
        delete="ec2:DisassociateRouteTable",
        when=makes_network,
    ),
    Row(
        type="aws:ec2/internetGateway:InternetGateway",
        schemas="AWS::EC2::InternetGateway AWS::EC2::VPCGatewayAttachment",
        create="ec2:CreateInternetGateway ec2:AttachInternetGateway ec2:CreateTags",
        read="ec2:DescribeInternetGateways",
        update=f"ec2:AttachInternetGateway ec2:DetachInternetGateway {TAGS}",
        delete="ec2:DetachInternetGateway ec2:DeleteInternetGateway",
        when=makes_network,
    ),
    Row(
        type="aws:ec2/eip:Eip",
        schemas="AWS::EC2::EIP",
        create="ec2:AllocateAddress ec2:CreateTags",
        read="ec2:DescribeAddresses ec2:DescribeAddressesAttribute",
        update=TAGS,
        delete="ec2:ReleaseAddress ec2:DisassociateAddress",
        beyond={"ec2:DescribeAddressesAttribute": f"{EC2}ec2_eip.go, for the name of the address"},
        when=makes_network,
    ),
    Row(
        type="aws:ec2/natGateway:NatGateway",
        schemas="AWS::EC2::NatGateway",
        create="ec2:CreateNatGateway ec2:CreateTags",
        read="ec2:DescribeNatGateways",
        update=TAGS,
        delete="ec2:DeleteNatGateway",
        when=makes_network,
    ),
    Row(
        type="aws:ec2/flowLog:FlowLog",
        schemas="AWS::EC2::FlowLog",
        create="ec2:CreateFlowLogs logs:CreateLogDelivery s3:GetBucketPolicy s3:PutBucketPolicy "
        "ec2:CreateTags",
        read="ec2:DescribeFlowLogs",
        update=TAGS,
        delete="ec2:DeleteFlowLogs logs:DeleteLogDelivery",
        when=makes_network,
    ),
    Row(
        type="aws:ec2/vpcEndpoint:VpcEndpoint",
        schemas="AWS::EC2::VPCEndpoint",
        create="ec2:CreateVpcEndpoint ec2:CreateTags route53:AssociateVPCWithHostedZone",
        read="ec2:DescribeVpcEndpoints ec2:DescribePrefixLists",
        update=f"ec2:ModifyVpcEndpoint {TAGS}",
        delete="ec2:DeleteVpcEndpoints",
        beyond={
            "ec2:DescribePrefixLists": f"{EC2}vpc_endpoint.go, for the addresses of a gateway endpoint",
            "route53:AssociateVPCWithHostedZone": f"{REFERENCE}list_amazonec2.html, for private names",
        },
        when=makes_network,
    ),
    Row(
        type="aws:ec2/securityGroup:SecurityGroup",
        schemas="AWS::EC2::SecurityGroup",
        create="ec2:CreateSecurityGroup ec2:AuthorizeSecurityGroupIngress ec2:AuthorizeSecurityGroupEgress "
        "ec2:RevokeSecurityGroupEgress ec2:CreateTags",
        read="ec2:DescribeSecurityGroups",
        update="ec2:AuthorizeSecurityGroupIngress ec2:AuthorizeSecurityGroupEgress "
        f"ec2:RevokeSecurityGroupIngress ec2:RevokeSecurityGroupEgress {TAGS}",
        delete="ec2:DeleteSecurityGroup ec2:DescribeNetworkInterfaces",
        beyond={
            "ec2:DescribeNetworkInterfaces": f"{EC2}vpc_security_group.go, which waits for interfaces",
        },
        when=has_security_groups,
    ),
    Row(
        type="aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
        schemas="AWS::EC2::SecurityGroupIngress AWS::EC2::SecurityGroup",
        create="ec2:AuthorizeSecurityGroupIngress ec2:CreateTags",
        read="ec2:DescribeSecurityGroupRules",
        update=f"ec2:ModifySecurityGroupRules {TAGS}",
        delete="ec2:RevokeSecurityGroupIngress",
        beyond={"ec2:ModifySecurityGroupRules": f"{EC2}vpc_security_group_ingress_rule.go"},
        when=lets_in,
    ),
    Row(
        type="aws:ec2transitgateway/vpcAttachment:VpcAttachment",
        schemas="AWS::EC2::TransitGatewayVpcAttachment",
        create="ec2:CreateTransitGatewayVpcAttachment ec2:CreateTags iam:CreateServiceLinkedRole",
        # The route table's of a gateway of the same account.
        read=f"ec2:DescribeTransitGatewayVpcAttachments ec2:DescribeTransitGateways {ROUTE_TABLE_READS}",
        update=f"ec2:ModifyTransitGatewayVpcAttachment {TAGS}",
        delete="ec2:DeleteTransitGatewayVpcAttachment",
        beyond={
            "iam:CreateServiceLinkedRole": f"{TRANSIT_GATEWAY_GUIDE}service-linked-roles.html",
            **dict.fromkeys(
                f"ec2:DescribeTransitGateways {ROUTE_TABLE_READS}".split(),
                f"{EC2}transitgateway_vpc_attachment.go",
            ),
        },
        when=joins_transit_gateway,
    ),
)
