"""What can be reached from where."""

from collections.abc import Iterator, Sequence
from ipaddress import IPv4Network, ip_network
from typing import Any

from policies.pack.corrections import setting, without
from policies.pack.objects import where
from policies.pack.resource import UNKNOWN, Resource, at, mapping, member, parsed, sequence, text
from policies.pack.rule import Parameters, StackViolations, Subject, Violations
from policies.pack.types import (
    ADDON,
    DEFAULT_SECURITY_GROUP,
    ENDPOINT,
    FLOW_LOG,
    INGRESS,
    PEERING,
    SECURITY_GROUP,
    SECURITY_GROUP_INGRESS,
    SECURITY_GROUP_RULE,
    SERVICE,
    SUBNET,
    VPC,
)

NETWORK = Subject("network", "What can be reached from where")

MIN_PREFIX = {4: 8, 6: 7}
"""Bits of a network that one may own: 10.0.0.0/8, and the unique local addresses fc00::/7, are the widest."""

DEFAULT_SUBNET = "aws:ec2/defaultSubnet:DefaultSubnet"
BEST_PRACTICES = "https://docs.aws.amazon.com/eks/latest/best-practices/network-security.html"
INGRESS_SCHEME = "alb.ingress.kubernetes.io/scheme"
LOAD_BALANCER_SCHEME = "service.beta.kubernetes.io/aws-load-balancer-scheme"
LOAD_BALANCER_GUIDE = (
    "https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/service/annotations/"
)


@NETWORK.rule(
    "subnet-no-public-addresses",
    SUBNET,
    DEFAULT_SUBNET,
    severity="high",
    why="What is started in such a subnet gets a public address without anybody asking for one.",
    references=(
        "CIS 5.4.3",
        "https://docs.aws.amazon.com/securityhub/latest/userguide/ec2-controls.html#ec2-15",
    ),
    correction=setting(mapPublicIpOnLaunch=False),
)
def subnet_no_public_addresses(subnet: Resource, _: Parameters) -> Violations:
    """Subnets give no public addresses away."""
    if subnet.get("mapPublicIpOnLaunch", subnet.type == DEFAULT_SUBNET) is True:
        yield f"Subnet {subnet.name} gives its machines public addresses: set mapPublicIpOnLaunch to false."


@NETWORK.rule(
    "no-open-ingress",
    SECURITY_GROUP,
    SECURITY_GROUP_INGRESS,
    SECURITY_GROUP_RULE,
    severity="critical",
    why="Whoever is on the internet may try what listens there.",
    references=(
        BEST_PRACTICES,
        "https://docs.aws.amazon.com/securityhub/latest/userguide/ec2-controls.html#ec2-18",
    ),
)
def no_open_ingress(group: Resource, _: Parameters) -> Violations:
    """Security groups let nobody in from every address."""
    for source in map(text, _sources(group)):
        if is_wide(source):
            yield (
                f"{where(group)} lets {source} in: name the networks that may come, or another security "
                "group."
            )


def is_wide(cidr: str) -> bool:
    """Whether a network has addresses of more than one owner, as 0.0.0.0/0 has, and each half of it."""
    try:
        network = ip_network(cidr, strict=False)
    except ValueError:
        return False
    return network.prefixlen < MIN_PREFIX[4 if isinstance(network, IPv4Network) else 6]


def _sources(group: Resource) -> Iterator[Any]:
    if group.type == SECURITY_GROUP:
        for rule in sequence(group.get("ingress")):
            yield from sequence(at(rule, "cidrBlocks"))
            yield from sequence(at(rule, "ipv6CidrBlocks"))
    elif group.type == SECURITY_GROUP_INGRESS:
        yield from (group.get("cidrIpv4"), group.get("cidrIpv6"))
    elif group.get("type") == "ingress":
        yield from sequence(group.get("cidrBlocks"))
        yield from sequence(group.get("ipv6CidrBlocks"))


@NETWORK.rule(
    "default-security-group-empty",
    DEFAULT_SECURITY_GROUP,
    severity="medium",
    why="What is started without a security group gets this one, and with rules in it is reachable at once.",
    references=("https://docs.aws.amazon.com/securityhub/latest/userguide/ec2-controls.html#ec2-2",),
    correction=without("ingress", "egress"),
)
def default_security_group_empty(group: Resource, _: Parameters) -> Violations:
    """The default security group of a VPC has no rules."""
    for direction in ("ingress", "egress"):
        if sequence(group.get(direction)):
            yield f"{where(group)} has {direction} rules: remove them, and make a group."


@NETWORK.stack_rule(
    "vpc-flow-logs",
    VPC,
    FLOW_LOG,
    severity="medium",
    why="After an incident nobody can say who spoke with whom.",
    references=(
        BEST_PRACTICES,
        "https://docs.aws.amazon.com/securityhub/latest/userguide/ec2-controls.html#ec2-6",
    ),
)
def vpc_flow_logs(resources: Sequence[Resource], _: Parameters) -> StackViolations:
    """Every VPC has a flow log."""
    vpcs = {urn for log in resources if log.type == FLOW_LOG for urn in log.reads.get("vpcId", ())}
    for vpc in resources:
        if vpc.type == VPC and vpc.urn not in vpcs:
            yield vpc, f"VPC {vpc.name} has no flow log: add one."


@NETWORK.rule(
    "flow-log-complete",
    FLOW_LOG,
    severity="low",
    why="What was refused is the trace of an attempt; what was accepted, that of one that succeeded.",
    references=(BEST_PRACTICES,),
    correction=setting(trafficType="ALL"),
)
def flow_log_complete(log: Resource, _: Parameters) -> Violations:
    """Flow logs hold all traffic, refused and accepted."""
    if log.get("trafficType", "ALL") != "ALL":
        yield f"Flow log {log.name} holds {log.get('trafficType')} only: set trafficType to ALL."


@NETWORK.rule(
    "vpc-dns",
    VPC,
    severity="high",
    why="Without both, the name of a private API server means nothing to nodes, and no node joins.",
    references=("https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html",),
    correction=setting(enableDnsSupport=True, enableDnsHostnames=True),
)
def vpc_dns(vpc: Resource, _: Parameters) -> Violations:
    """VPCs resolve DNS names and give them out."""
    if vpc.get("enableDnsSupport", True) is False:
        yield f"VPC {vpc.name} resolves no names: set enableDnsSupport to true."
    if vpc.get("enableDnsHostnames", False) is False:
        yield f"VPC {vpc.name} gives no names out: set enableDnsHostnames to true."


@NETWORK.rule(
    "endpoint-private-dns",
    ENDPOINT,
    severity="medium",
    why=(
        "Without it, programs in the VPC ask the service's public name, and their way leads over the "
        "internet."
    ),
    references=("https://docs.aws.amazon.com/vpc/latest/privatelink/create-interface-endpoint.html",),
    correction=setting(privateDnsEnabled=True),
)
def endpoint_private_dns(endpoint: Resource, _: Parameters) -> Violations:
    """Interface endpoints of AWS answer to the service's own name."""
    # What others offer (vpce-svc-...) has a name of its own only, unless its owner proved one.
    service = endpoint.get("serviceName", "")
    of_aws = isinstance(service, str) and ".vpce." not in service
    private = endpoint.get("privateDnsEnabled", False)
    if of_aws and endpoint.get("vpcEndpointType") == "Interface" and private is False:
        yield f"Endpoint {endpoint.name} has a name of its own only: set privateDnsEnabled to true."


@NETWORK.rule(
    "load-balancer-internal",
    SERVICE,
    INGRESS,
    severity="critical",
    why="Spark UIs show data and settings of jobs, and have no login of their own.",
    references=(LOAD_BALANCER_GUIDE, BEST_PRACTICES),
)
def load_balancer_internal(resource: Resource, _: Parameters) -> Violations:
    """Load balancers are internal."""
    annotations = resource.get("metadata.annotations")
    if resource.type == INGRESS:
        # The load balancer controller's default is internal here.
        if member(annotations, INGRESS_SCHEME) == "internet-facing":
            yield f"{where(resource)} is open to the internet: annotate {INGRESS_SCHEME}: internal."
    elif (
        resource.get("spec.type") == "LoadBalancer"
        and member(annotations, LOAD_BALANCER_SCHEME, "internet-facing") == "internet-facing"
    ):
        yield f"{where(resource)} is open to the internet: annotate {LOAD_BALANCER_SCHEME}: internal."


@NETWORK.rule(
    "no-node-ports",
    SERVICE,
    severity="medium",
    why="It opens a port on every node, past the load balancer and what that checks.",
    references=("https://kubernetes.io/docs/concepts/services-networking/service/#type-nodeport",),
)
def no_node_ports(service: Resource, _: Parameters) -> Violations:
    """Services open no port of the nodes."""
    if service.get("spec.type") == "NodePort":
        yield f"{where(service)} opens a port on every node: make it a ClusterIP behind an Ingress."


@NETWORK.rule(
    "no-external-addresses",
    SERVICE,
    severity="high",
    why="Whoever makes such a Service gets the cluster's traffic to those addresses (CVE-2020-8554).",
    references=("https://kubernetes.io/docs/concepts/services-networking/service/#external-ips",),
)
def no_external_addresses(service: Resource, _: Parameters) -> Violations:
    """Services take no addresses of others."""
    if sequence(service.get("spec.externalIPs")):
        yield f"{where(service)} takes external addresses: remove spec.externalIPs."


@NETWORK.rule(
    "ingress-host",
    INGRESS,
    severity="low",
    why="An Ingress without a host answers to every name that leads to the load balancer.",
    references=("https://kubernetes.io/docs/concepts/services-networking/ingress/#hostname-wildcards",),
)
def ingress_host(ingress: Resource, _: Parameters) -> Violations:
    """An Ingress names the hosts that it answers to."""
    hosts = [at(rule, "host", "*") for rule in sequence(ingress.get("spec.rules"))]
    if any(host in ("", "*") for host in hosts) or mapping(ingress.get("spec.defaultBackend")):
        yield (
            f"{where(ingress)} answers to every host: name one in each of spec.rules, and take "
            "spec.defaultBackend out."
        )


@NETWORK.rule(
    "network-policies-enforced",
    ADDON,
    severity="high",
    why="The VPC CNI takes no notice of NetworkPolicies by default: whoever reads them believes in a fence.",
    references=(
        "CIS 4.3.1",
        "CIS 5.4.4",
        "https://docs.aws.amazon.com/eks/latest/userguide/cni-network-policy-configure.html",
    ),
)
def network_policies_enforced(addon: Resource, _: Parameters) -> Violations:
    """The VPC CNI enforces NetworkPolicies."""
    enabled = member(parsed(addon.get("configurationValues")), "enableNetworkPolicy", "false")
    if addon.get("addonName") == "vpc-cni" and enabled not in (True, "true", UNKNOWN):
        yield (
            f"Add-on {addon.name} enforces no NetworkPolicy: set enableNetworkPolicy to 'true' in its "
            "configurationValues."
        )


@NETWORK.rule(
    "peering-within-account",
    PEERING,
    severity="high",
    why="A peer in another account reaches what security groups of this VPC let in, and its owner decides.",
    references=("https://docs.aws.amazon.com/vpc/latest/peering/vpc-peering-security-groups.html",),
    accounts=[],
)
def peering_within_account(peering: Resource, parameters: Parameters) -> Violations:
    """VPCs are peered with those of listed accounts only."""
    owner = text(peering.get("peerOwnerId"))
    if owner and owner not in parameters["accounts"]:
        yield f"{where(peering)} peers with account {owner}: use a transit gateway, or an endpoint."
