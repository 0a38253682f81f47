"""Who reaches whom in a network as AWS describes it, and why not: security groups, ACLs, routes, endpoints.

    network = Network("us-east-1", {"Vpcs": [...], "Subnets": [...], ...}, clusters={...})
    node = Interface(name="node", subnet="subnet-1", groups=("sg-1",))
    path = reach(network, node, Service(name="ecr.api"), 443)
    if not path: path.reasons

What a connection needs beside a way (a listener, TLS, permissions) is not looked at, and nothing of IPv6.
"""

from aws_rules.network import deployer, program_ways
from aws_rules.network.addresses import control_plane_interfaces
from aws_rules.network.answers import ANSWERS, Network
from aws_rules.network.path import Path, Reason
from aws_rules.network.places import (
    INTERNET,
    ApiServer,
    Destination,
    Host,
    Interface,
    Metadata,
    Pod,
    Request,
    Service,
    Source,
)
from aws_rules.network.reachability import reach

RULES = (*deployer.RULES, *program_ways.RULES)

__all__ = [
    "ANSWERS",
    "INTERNET",
    "RULES",
    "ApiServer",
    "Destination",
    "Host",
    "Interface",
    "Metadata",
    "Network",
    "Path",
    "Pod",
    "Reason",
    "Request",
    "Service",
    "Source",
    "control_plane_interfaces",
    "reach",
]
