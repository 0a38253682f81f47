"""Targets of routes."""

from collections.abc import Collection, Iterator

from localcloud.rules.rule import Rule
from localcloud.rules.values.request import Request, ValueVerdict

RULE = Rule(
    name="route-targets",
    authority="AWS",
    decides="whether a route has one target, and its NAT gateway is there",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateRoute.html",
)

RULES = (RULE,)

TARGETS = (
    *("CarrierGatewayId", "CoreNetworkArn", "EgressOnlyInternetGatewayId", "GatewayId", "InstanceId"),
    *("LocalGatewayId", "NatGatewayId", "NetworkInterfaceId", "OdbNetworkArn", "TransitGatewayId"),
    *("VpcEndpointId", "VpcPeeringConnectionId"),
)


def target(request: Request) -> Iterator[ValueVerdict]:
    """The target of a route."""
    named = [member for member in TARGETS if request.has(member)]
    if not named:
        message = "The request must contain the parameter gatewayId, or another target"
        remedy = "name a gateway, an endpoint or another target"
        yield request.misfit(RULE, ("GatewayId",), "MissingParameter", message, remedy)
    elif len(named) > 1:
        message = f"The parameter {named[0]} cannot be used with the parameter {named[1]}"
        yield request.misfit(RULE, (named[1],), "InvalidParameterCombination", message, "keep one of them")


def nat_gateway(request: Request, gateways: Collection[str]) -> Iterator[ValueVerdict]:
    """The NAT gateway of a route, against those that there are."""
    gateway = request.known("NatGatewayId")
    if gateway and gateway not in gateways:
        message = f"The natGateway ID '{gateway}' does not exist"
        remedy = "name one that the program makes, by its output id"
        yield request.misfit(RULE, ("NatGatewayId",), "InvalidNatGatewayID.NotFound", message, remedy)
