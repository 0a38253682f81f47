"""Endpoints of a VPC for services of AWS, and what their policies let through."""

import json

from aws_rules.iam import evaluation
from aws_rules.network.addresses import vpc_of
from aws_rules.network.answers import Member, Network, label
from aws_rules.network.path import Path
from aws_rules.network.places import Interface, Service

GATEWAY_SERVICES = ("s3", "dynamodb")
"""Services with endpoints of type gateway: https://docs.aws.amazon.com/vpc/latest/privatelink/gateway-endpoints.html"""


def private_endpoints(network: Network, vpc: str, service: Service) -> list[Member]:
    """Interface endpoints to which the service's own name resolves in a VPC."""
    return [
        endpoint
        for endpoint in network.endpoints(vpc, service.name, "Interface")
        if endpoint.get("PrivateDnsEnabled")
        and network.dns.get(vpc, True)
        and (endpoint.get("State") or "available").lower() == "available"
    ]


def gateway_endpoint(network: Network, source: Interface, service: Service) -> Member | None:
    """The gateway endpoint to which the source's route table leads for a service."""
    if service.name not in GATEWAY_SERVICES:
        return None
    subnet = network.find("Subnets", source.subnet)
    table = network.route_table(subnet) if subnet else None
    for endpoint in network.endpoints(vpc_of(network, source), service.name, "Gateway"):
        if table is not None and table["RouteTableId"] in endpoint.get("RouteTableIds", ()):
            return endpoint
    return None


def judge_policy(path: Path, endpoint: Member, service: Service) -> None:
    """Whether the policy of an endpoint lets a service's request through; a reason of the path where not."""
    request, document = service.request, endpoint.get("PolicyDocument")
    if request is None or not document:
        return
    policy = json.loads(document) if isinstance(document, str) else document
    full_access = {
        "Version": "2012-10-17",
        "Statement": {"Effect": "Allow", "Action": "*", "Resource": "*"},
    }
    caller = evaluation.Role(arn=request.principal, policies=(full_access,))
    # As of another account: an endpoint's policy has to allow by itself what the caller may do.
    resource = evaluation.Resource(
        arn=request.resource, account="", policy={**policy, "Version": "2012-10-17"}
    )
    try:
        allowed = evaluation.allowed(caller, request.action, resource)
    except evaluation.Undecided as error:
        path.hop(f"policy of {endpoint['VpcEndpointId']}, which is not judged here: {error}")
        return
    if not allowed:
        path.no(
            f"endpoint {label(endpoint, 'VpcEndpointId')} of {service.name}",
            "VPC_ENDPOINT_POLICY",
            f"{request.principal} is not authorized to perform: {request.action} on resource: "
            f"{request.resource}",
            "allow the account and the action in the endpoint's policy",
        )
