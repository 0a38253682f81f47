"""Targets of routes, and what NAT gateways need."""

from collections.abc import Collection, Iterator, Mapping

from aws_rules.rule import Rule
from aws_rules.values.request import Request, ValueVerdict

RULE = Rule(
    name="route-targets",
    authority="AWS",
    decides="whether a route has one target, and its gateway is there and, to the internet, of its VPC",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateRoute.html",
    further=(
        "https://github.com/hashicorp/terraform/issues/4987",
        "https://github.com/giantswarm/aws-operator/pull/611",
    ),
)

NAT = Rule(
    name="nat-gateways",
    authority="AWS",
    decides="whether a public NAT gateway is in a VPC that has an internet gateway",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/nat-gateway-troubleshooting.html",
    further=("https://github.com/giantswarm/aws-operator/pull/1234",),
)

RULES = (RULE, NAT)

TARGETS = (
    *("CarrierGatewayId", "CoreNetworkArn", "EgressOnlyInternetGatewayId", "GatewayId", "InstanceId"),
    *("LocalGatewayId", "NatGatewayId", "NetworkInterfaceId", "OdbNetworkArn", "TransitGatewayId"),
    *("VpcEndpointId", "VpcPeeringConnectionId"),
)


def target(request: Request) -> Iterator[ValueVerdict]:
    """The target of a route."""
    members = [member for member in TARGETS if request.has(member)]
    if not members:
        message = "The request must contain the parameter gatewayId, or another target"
        remedy = "name a gateway, an endpoint or another target"
        yield request.misfit(RULE, ("GatewayId",), "MissingParameter", message, remedy)
    elif len(members) > 1:
        message = f"The parameter {members[0]} cannot be used with the parameter {members[1]}"
        yield request.misfit(RULE, (members[1],), "InvalidParameterCombination", message, "keep one of them")


def nat_gateway(request: Request, gateways: Collection[str]) -> Iterator[ValueVerdict]:
    """The NAT gateway of a route, against those that there are."""
    gateway = request.value_at("NatGatewayId")
    if gateway and gateway not in gateways:
        message = f"The natGateway ID '{gateway}' does not exist"
        remedy = "name one that the program makes, by its output id"
        yield request.misfit(RULE, ("NatGatewayId",), "InvalidNatGatewayID.NotFound", message, remedy)


def internet_gateway(request: Request, vpc: str, attachments: Mapping[str, str]) -> Iterator[ValueVerdict]:
    """The internet gateway of a route.

    vpc: of its table. attachments: internet gateway -> its VPC, or nothing.
    """
    gateway = str(request.value_at("GatewayId") or "")
    path = ("GatewayId",)
    if not gateway or gateway == "local" or gateway.startswith(("vgw-", "vpce-")):
        return
    if gateway not in attachments:
        message = f"The gateway ID '{gateway}' does not exist"
        remedy = "name one that the program makes, by its output id"
        yield request.misfit(RULE, path, "InvalidGatewayID.NotFound", message, remedy)
    elif attachments[gateway] != vpc:
        table = request.value_at("RouteTableId")
        message = f"route table {table} and network gateway {gateway} belong to different networks"
        remedy = f"attach the gateway to {vpc} first, or name the one that is"
        yield request.misfit(RULE, path, "InvalidParameterValue", message, remedy)


def attached_gateway(request: Request, vpc: str, vpcs: Collection[str]) -> Iterator[ValueVerdict]:
    """Whether a public NAT gateway would find an internet gateway.

    vpc: of its subnet. vpcs: those that have an internet gateway.
    """
    if request.value_at("ConnectivityType") != "private" and vpc not in vpcs:
        message = f"Network {vpc} has no Internet gateway attached"
        remedy = "attach an internet gateway to the VPC first"
        yield request.misfit(NAT, ("SubnetId",), "Gateway.NotAttached", message, remedy)
