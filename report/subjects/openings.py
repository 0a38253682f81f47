"""What each kind of resource lets reach what: openings, compared by what they let through."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import ip_network
from typing import Any

from aws_rules.network.places import is_private
from previews import State, Step
from previews.values import known, mapping, number, sequence, text, walk
from report.words import plain

EVERYWHERE = ("0.0.0.0/0", "::/0")
ALL_PORTS = (0, 65535)


@dataclass(frozen=True, kw_only=True)
class Opening:
    """A way that is open.

    target: what is reached. source: from where: a network, a group, a gateway. ports: the first and the last.
    outward: it is a way out of the target, and `source` is where to.
    """

    target: str
    source: str
    protocol: str = "tcp"
    ports: tuple[int, int] = ALL_PORTS
    outward: bool = False

    def covers(self, other: "Opening") -> bool:
        """Whether all that the other one lets through goes through here too."""
        return (
            (self.target, self.outward) == (other.target, other.outward)
            and self.protocol in ("-1", other.protocol)
            and (self.protocol == "-1" or self.ports[0] <= other.ports[0] <= other.ports[1] <= self.ports[1])
            and (self.source == other.source or _holds(self.source, other.source))
        )

    @property
    def public(self) -> bool:
        """Whether its other end is on the internet, or part of it is."""
        return is_public(self.source)


def _holds(network: str, other: str) -> bool:
    try:
        wide, narrow = ip_network(network), ip_network(other)
    except ValueError:
        return False
    return wide.version == narrow.version and narrow.subnet_of(wide)  # type: ignore[arg-type]


def is_public(network: str) -> bool:
    """Whether a network has addresses of the internet; a name of something else has none."""
    try:
        address_range = ip_network(network, strict=False)
    except ValueError:
        return False
    return not address_range.is_private if address_range.version == 6 else not is_private(address_range)


Reader = Callable[[str, Mapping[str, Any]], Iterator[Opening]]
"""Logical name and inputs of a resource -> its openings."""


def _rule(name: str, inputs: Mapping[str, Any], *, outward: bool) -> Iterator[Opening]:
    """A rule of a security group, a resource of its own."""
    group = text(inputs.get("securityGroupId"), f"of {name}")
    for key in ("cidrIpv4", "cidrIpv6", "prefixListId", "referencedSecurityGroupId"):
        if source := text(inputs.get(key)):
            yield _group_opening(group, source, inputs.get("ipProtocol"), inputs, outward=outward)


def _rules(name: str, inputs: Mapping[str, Any]) -> Iterator[Opening]:
    """Rules in a security group itself."""
    for key in ("ingress", "egress"):
        for rule in map(mapping, sequence(inputs.get(key))):
            yield from _sources(name, rule, outward=key == "egress")


def _own_rule(name: str, inputs: Mapping[str, Any]) -> Iterator[Opening]:
    """A rule of the older type."""
    group = text(inputs.get("securityGroupId"), f"of {name}")
    yield from _sources(group, inputs, outward=inputs.get("type") == "egress")


def _sources(group: str, rule: Mapping[str, Any], *, outward: bool) -> Iterator[Opening]:
    groups = [text(rule.get("sourceSecurityGroupId")), *map(text, sequence(rule.get("securityGroups")))]
    blocks = [*sequence(rule.get("cidrBlocks")), *sequence(rule.get("ipv6CidrBlocks"))]
    for source in filter(None, [*map(text, blocks), *groups, group if rule.get("self") else ""]):
        yield _group_opening(group, source, rule.get("protocol"), rule, outward=outward)


def _group_opening(
    group: str, source: str, protocol: Any, rule: Mapping[str, Any], *, outward: bool
) -> Opening:
    first, last = number(rule.get("fromPort")), number(rule.get("toPort"))
    kind = {"6": "tcp", "17": "udp", "all": "-1"}.get(str(protocol), str(protocol))
    ports = (
        ALL_PORTS
        if kind == "-1" or first is None or first < 0
        else (first, last if last is not None else first)
    )
    return Opening(
        target=f"security group {group}", source=source, protocol=kind, ports=ports, outward=outward
    )


GATEWAYS = {
    "gatewayId": "an internet gateway",
    "egressOnlyGatewayId": "an egress-only internet gateway",
    "natGatewayId": "a NAT gateway",
    "transitGatewayId": "a transit gateway",
    "vpcPeeringConnectionId": "a peered VPC",
    "networkInterfaceId": "a network interface",
    "localGatewayId": "a local gateway",
    "coreNetworkArn": "a core network",
}
"""Input of a route -> what it leads to."""


def _route(name: str, inputs: Mapping[str, Any]) -> Iterator[Opening]:
    destination = text(inputs.get("destinationCidrBlock")) or text(inputs.get("destinationIpv6CidrBlock"))
    for key, gateway in GATEWAYS.items():
        if key in inputs and destination:
            table = text(inputs.get("routeTableId"), f"of {name}")
            if key == "gatewayId":
                yield Opening(target=f"subnets of route table {table}", source=gateway, protocol="-1")
            else:
                target = f"subnets of route table {table}, by {gateway}"
                yield Opening(target=target, source=destination, protocol="-1", outward=True)


def _cluster(name: str, inputs: Mapping[str, Any]) -> Iterator[Opening]:
    config = mapping(inputs.get("vpcConfig"))
    if config.get("endpointPrivateAccess"):
        target = f"the private endpoint of the API server of {text(inputs.get('name'), name)}"
        yield Opening(target=target, source="its VPC", ports=(443, 443))
    # EKS has the public endpoint on unless told otherwise, and for everybody.
    if config.get("endpointPublicAccess", True):
        for network in sequence(config.get("publicAccessCidrs")) or ["0.0.0.0/0"]:
            target = f"the API server of {text(inputs.get('name'), name)}"
            yield Opening(target=target, source=text(network, "unknown networks"), ports=(443, 443))


def _subnet(name: str, inputs: Mapping[str, Any]) -> Iterator[Opening]:
    if inputs.get("mapPublicIpOnLaunch"):
        yield Opening(target=f"machines with public addresses in subnet {name}", source="an internet gateway")


def _database(name: str, inputs: Mapping[str, Any]) -> Iterator[Opening]:
    if inputs.get("publiclyAccessible"):
        yield Opening(target=f"database {name}", source="0.0.0.0/0")


BLOCKS = ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets")


def _public_access_block(name: str, inputs: Mapping[str, Any]) -> Iterator[Opening]:
    for block in BLOCKS:
        if not inputs.get(block):
            yield Opening(
                target=f"bucket {name}, as its policy and ACLs say ({block} is off)", source="0.0.0.0/0"
            )


def _metadata(name: str, inputs: Mapping[str, Any]) -> Iterator[Opening]:
    options = mapping(inputs.get("metadataOptions"))
    tokens, limit = options.get("httpTokens", "optional"), number(options.get("httpPutResponseHopLimit")) or 1
    if tokens != "required" or limit > 1:
        yield Opening(
            target=f"the instance metadata, and with it the node's role, of machines of {name}",
            source="their pods",
            ports=(80, 80),
        )


def _attachment(name: str, inputs: Mapping[str, Any]) -> Iterator[Opening]:
    gateway = text(inputs.get("transitGatewayId"), "a transit gateway")
    yield Opening(target=f"VPC of {name}", source=f"networks behind {gateway}", protocol="-1")


def _peering(name: str, inputs: Mapping[str, Any]) -> Iterator[Opening]:
    yield Opening(
        target=f"VPC of {name}", source=f"peered VPC {text(inputs.get('peerVpcId'))}", protocol="-1"
    )


SCHEMES = (
    "service.beta.kubernetes.io/aws-load-balancer-scheme",
    "alb.ingress.kubernetes.io/scheme",
)
"""Annotations of the AWS Load Balancer Controller: https://kubernetes-sigs.github.io/aws-load-balancer-controller/."""


def _balancers(name: str, inputs: Mapping[str, Any]) -> Iterator[Opening]:
    """Load balancers on the internet that a Kubernetes object, or a chart's values, ask for."""
    for part in walk(inputs):
        if any(part.get(scheme) == "internet-facing" for scheme in SCHEMES):
            sources = [
                text(source)
                for owner in walk(inputs)
                for source in sequence(owner.get("loadBalancerSourceRanges"))
            ]
            for source in sources or ["0.0.0.0/0"]:
                yield Opening(target=f"load balancer of {name}", source=source, ports=(1, 65535))


def _endpoint(name: str, inputs: Mapping[str, Any]) -> Iterator[Opening]:
    service = text(inputs.get("serviceName"), name)
    yield Opening(target=service, source="the VPC, by an endpoint", protocol="-1")
    policy = inputs.get("policy")
    if not policy or policy == "{}":
        yield Opening(target=f"all of {service}, in any account", source=f"endpoint {name}", protocol="-1")


STAND_INS = ("securityGroupId", "routeTableId", "referencedSecurityGroupId")

READERS: Mapping[str, Reader] = {
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": lambda n, i: _rule(n, i, outward=False),
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": lambda n, i: _rule(n, i, outward=True),
    "aws:ec2/securityGroupRule:SecurityGroupRule": _own_rule,
    "aws:ec2/securityGroup:SecurityGroup": _rules,
    "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup": _rules,
    "aws:ec2/route:Route": _route,
    "aws:ec2/subnet:Subnet": _subnet,
    "aws:ec2/launchTemplate:LaunchTemplate": _metadata,
    "aws:ec2/vpcEndpoint:VpcEndpoint": _endpoint,
    "aws:ec2/vpcPeeringConnection:VpcPeeringConnection": _peering,
    "aws:ec2transitgateway/vpcAttachment:VpcAttachment": _attachment,
    "aws:eks/cluster:Cluster": _cluster,
    "aws:rds/instance:Instance": _database,
    "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock": _public_access_block,
    "kubernetes:core/v1:Service": _balancers,
    "kubernetes:networking.k8s.io/v1:Ingress": _balancers,
    "kubernetes:helm.sh/v3:Release": _balancers,
}


def openings(step: Step, state: State | None) -> list[Opening]:
    """The openings of a resource on one side; none where it is not there."""
    reader = READERS.get(step.type)
    if state is None or reader is None:
        return []
    inputs = state.inputs
    if step.old is not None:
        # What is made anew has ids that are not known yet: it stands for what it replaces.
        old = {key: value for key, value in step.old.inputs.items() if key in STAND_INS}
        inputs = {**inputs, **{key: value for key, value in old.items() if not known(inputs.get(key))}}
    return list(reader(step.name, inputs))


def described(opening: Opening) -> str:
    """An opening's ports in words; empty where it is all of them."""
    first, last = opening.ports
    if opening.protocol == "-1" or (first, last) in (ALL_PORTS, (1, 65535)):
        return ""
    ports = f"port {first}" if first == last else f"ports {first} to {last}"
    return f" on {plain(opening.protocol)} {ports}"
