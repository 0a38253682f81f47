"""How the machines of node groups reach hosts, in the network as AWS describes it."""

from collections.abc import Callable
from functools import cache

from aws_rules.images.machines import Request, Way
from aws_rules.images.registry_hosts import endpoint_service
from aws_rules.network import INTERNET, Destination, Host, Service, reach
from aws_rules.network import Request as ServiceRequest
from localcloud.plugins.aws.api import Api
from localcloud.plugins.aws.refusals.network import load, nodes

HTTPS = 443


def group_ways(api: Api, region: str, cluster: str) -> Callable[[str], Way]:
    """Node group of a cluster -> how its machines reach hosts; the network is loaded when it is asked."""

    network = cache(lambda: load(api, region))

    @cache
    def of_group(group: str) -> Way:
        interfaces = {interface.subnet: interface for interface in nodes(api, cluster, group, region)}

        def way(subnet: str, request: Request) -> str | None:
            path = reach(network(), interfaces[subnet], destination(request, region), HTTPS)
            return None if path else f"dial tcp: i/o timeout: {path.reasons[0]}".rstrip(".")

        return way

    return of_group


def destination(request: Request, region: str) -> Destination:
    """Where a request goes: to a service of the region, which endpoints may take, or out to the internet."""
    service = endpoint_service(request.host, region)
    if service is None:
        return Host(name=request.host, address=INTERNET.address)
    if request.caller is None:
        return Service(name=service)
    call = ServiceRequest(principal=request.caller.arn, action=request.action, resource=request.resource)
    return Service(name=service, request=call)
