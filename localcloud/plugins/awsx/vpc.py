"""`awsx.ec2.Vpc`: a VPC with subnets in several zones, and their ways out."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import pulumi
import pulumi_aws as aws

from localcloud.errors import Refusal
from localcloud.plugins.aws.table import words
from localcloud.plugins.awsx.layout import ISOLATED, PRIVATE, PUBLIC, STRATEGIES, Subnet, spec_of, subnets
from localcloud.plugins.components.arguments import Arguments
from localcloud.plugins.components.component import Component

NO_IPV6 = "subnets have IPv4 addresses only, so leave it out"
OWN_ENDPOINT = "make an aws.ec2.VpcEndpoint"

NAT_GATEWAYS = Arguments(served=words("strategy elasticIpAllocationIds"))
NONE, SINGLE, ONE_PER_ZONE = "none", "single", "oneperaz"
GATEWAY_STRATEGIES = (NONE, SINGLE, ONE_PER_ZONE)

VPC = Arguments(
    served=words(
        "availabilityZoneCidrMask availabilityZoneNames cidrBlock enableDnsHostnames enableDnsSupport "
        "enableNetworkAddressUsageMetrics instanceTenancy natGateways numberOfAvailabilityZones region "
        "subnetSpecs subnetStrategy tags"
    ),
    refused={
        "assignGeneratedIpv6CidrBlock": NO_IPV6,
        "ipv6CidrBlock": NO_IPV6,
        "ipv6CidrBlockNetworkBorderGroup": NO_IPV6,
        "ipv6IpamPoolId": NO_IPV6,
        "ipv6NetmaskLength": NO_IPV6,
        "ipv4IpamPoolId": "name a cidrBlock",
        "ipv4NetmaskLength": "name a cidrBlock",
        "subnetNameTagStrategy": "names end with the number of the zone, so leave it out",
        "vpcEndpointSpecs": OWN_ENDPOINT,
        "vpcEndpointStrategy": OWN_ENDPOINT,
    },
    nested={"natGateways": NAT_GATEWAYS},
)

DEFAULT_RANGE, DEFAULT_ZONES = "10.0.0.0/16", 3

OF_THE_VPC = {
    "enable_dns_hostnames": "enableDnsHostnames",
    "enable_dns_support": "enableDnsSupport",
    "enable_network_address_usage_metrics": "enableNetworkAddressUsageMetrics",
    "instance_tenancy": "instanceTenancy",
    "region": "region",
}
"""Arguments of the VPC that are also arguments of the component."""


class Vpc(Component):
    """Pulumi type `awsx:ec2:Vpc`: a VPC, an internet gateway, subnets with a route table each, NAT gateways.

    Source of names, parents and order: awsx/ec2/vpc.ts of github.com/pulumi/pulumi-awsx, 3.11.
    Outputs: those of the real component, without endpoints.
    """

    TYPE: ClassVar[str] = "awsx:ec2:Vpc"
    ARGUMENTS = VPC

    def __init__(self, name: str, inputs: Mapping[str, Any], opts: pulumi.ResourceOptions | None) -> None:
        super().__init__(name, inputs, opts)
        self.name, self.inputs = name, inputs
        self.region = inputs.get("region")
        network = inputs.get("cidrBlock") or DEFAULT_RANGE
        gateways = inputs.get("natGateways") or {}
        self.strategy = str(gateways.get("strategy") or ONE_PER_ZONE).lower()
        self.addresses: Sequence[Any] = gateways.get("elasticIpAllocationIds") or ()
        specs = inputs.get("subnetSpecs")
        strategy = str(inputs.get("subnetStrategy") or "Legacy")
        self._refuse(strategy)
        zones = self._zones()
        layout = subnets(
            name,
            network,
            zones,
            None if specs is None else [spec_of(spec) for spec in specs],
            strategy,
            _whole(inputs.get("availabilityZoneCidrMask")),
        )
        self._refuse_gateways_without_subnets(layout)
        self.tags = {"Name": name, **(inputs.get("tags") or {})}
        self.vpc = aws.ec2.Vpc(
            name,
            cidr_block=network,
            tags=self.tags,
            opts=self.child,
            **{argument: inputs.get(wire) for argument, wire in OF_THE_VPC.items()},
        )
        self.gateway = aws.ec2.InternetGateway(
            name, vpc_id=self.vpc.id, tags=self.tags, region=self.region, opts=_child_options(self.vpc)
        )
        self.subnets: list[tuple[Subnet, aws.ec2.Subnet]] = []
        self.resources: dict[str, list[Any]] = {
            "routeTables": [], "routeTableAssociations": [], "routes": [], "natGateways": [], "eips": []
        }  # fmt: skip
        for number, zone in enumerate(zones):
            for subnet in (candidate for candidate in layout if candidate.zone == zone):
                self._subnet(number, subnet)
        self.outputs = self._outputs()
        self.register_outputs(self.outputs)

    def _refuse(self, strategy: str) -> None:
        if strategy not in STRATEGIES:
            raise Refusal(
                f"awsx.Vpc {self.name}: the laptop cloud does not serve subnetStrategy {strategy}: take one "
                f"of {', '.join(STRATEGIES)}."
            )
        if self.strategy not in GATEWAY_STRATEGIES:
            raise Refusal(f"awsx.Vpc {self.name}: there is no NatGatewayStrategy {self.strategy}.")
        if "availabilityZoneNames" in self.inputs and "numberOfAvailabilityZones" in self.inputs:
            raise Refusal(
                f"awsx.Vpc {self.name}: set one of availabilityZoneNames and numberOfAvailabilityZones."
            )

    def _refuse_gateways_without_subnets(self, layout: Sequence[Subnet]) -> None:
        kinds = {subnet.kind for subnet in layout}
        if self.strategy != NONE and not (PUBLIC in kinds and kinds & {PRIVATE, ISOLATED}):
            raise Refusal(
                f"awsx.Vpc {self.name}: NAT gateways need public subnets, and private or isolated ones that "
                "they serve: add such subnetSpecs, or set the strategy None."
            )

    def _zones(self) -> Sequence[str]:
        if names := self.inputs.get("availabilityZoneNames"):
            return list(names)
        number = _whole(self.inputs.get("numberOfAvailabilityZones")) or DEFAULT_ZONES
        zone_names = aws.get_availability_zones(
            region=self.region, opts=pulumi.InvokeOptions(parent=self)
        ).names
        if len(zone_names) < number:
            raise Refusal(
                f"awsx.Vpc {self.name}: the region has {len(zone_names)} zones, not {number}: name fewer."
            )
        return zone_names[:number]

    def _subnet(self, zone: int, subnet: Subnet) -> None:
        own = {**self.tags, "Name": subnet.name, "SubnetType": subnet.kind}
        resource = aws.ec2.Subnet(
            subnet.name,
            vpc_id=self.vpc.id,
            availability_zone=subnet.zone,
            map_public_ip_on_launch=subnet.kind == PUBLIC,
            cidr_block=subnet.range,
            assign_ipv6_address_on_creation=False,
            tags={**self.tags, **subnet.tags, "Name": subnet.name, "SubnetType": subnet.kind},
            region=self.region,
            opts=_child_options(self.vpc),
        )
        self.subnets.append((subnet, resource))
        table = aws.ec2.RouteTable(
            subnet.name, vpc_id=self.vpc.id, tags=own, region=self.region, opts=_child_options(resource)
        )
        self.resources["routeTables"].append(table)
        self.resources["routeTableAssociations"].append(
            aws.ec2.RouteTableAssociation(
                subnet.name,
                route_table_id=table.id,
                subnet_id=resource.id,
                region=self.region,
                opts=_child_options(table),
            )
        )
        if subnet.kind == PUBLIC:
            self._nat_gateway(zone, resource)
            self._route(subnet, table, gateway_id=self.gateway.id)
        elif subnet.kind == PRIVATE and self.strategy != NONE:
            number = 0 if self.strategy == SINGLE else zone
            self._route(subnet, table, nat_gateway_id=self.resources["natGateways"][number].id)

    def _nat_gateway(self, zone: int, subnet: aws.ec2.Subnet) -> None:
        number = {NONE: 0, SINGLE: 1, ONE_PER_ZONE: zone + 1}[self.strategy]
        if len(self.resources["natGateways"]) >= number:
            return
        name = f"{self.name}-{zone + 1}"
        tags = {**(self.inputs.get("tags") or {}), "Name": name}
        if not self.addresses:
            eip = aws.ec2.Eip(name, tags=tags, region=self.region, opts=_child_options(subnet))
            self.resources["eips"].append(eip)
        gateway = aws.ec2.NatGateway(
            name,
            subnet_id=subnet.id,
            allocation_id=self.addresses[zone]
            if self.addresses
            else self.resources["eips"][zone].allocation_id,
            tags=tags,
            region=self.region,
            opts=_child_options(subnet),
        )
        self.resources["natGateways"].append(gateway)

    def _route(self, subnet: Subnet, table: aws.ec2.RouteTable, **way: pulumi.Output[str]) -> None:
        route = aws.ec2.Route(
            subnet.name,
            route_table_id=table.id,
            destination_cidr_block="0.0.0.0/0",
            region=self.region,
            opts=_child_options(table),
            **way,
        )
        self.resources["routes"].append(route)

    def _outputs(self) -> dict[str, Any]:
        kinds = {PUBLIC: "public", PRIVATE: "private", ISOLATED: "isolated"}
        of_kind = {
            kind: [resource for subnet, resource in self.subnets if subnet.kind == kind] for kind in kinds
        }
        return {
            "vpc": self.vpc,
            "vpcId": self.vpc.id,
            "internetGateway": self.gateway,
            "subnets": [resource for _, resource in self.subnets],
            **{f"{word}Subnets": of_kind[kind] for kind, word in kinds.items()},
            **{f"{word}SubnetIds": [subnet.id for subnet in of_kind[kind]] for kind, word in kinds.items()},
            **self.resources,
            "vpcEndpoints": [],
            "subnetLayout": [],
        }


def _child_options(parent: pulumi.Resource) -> pulumi.ResourceOptions:
    return pulumi.ResourceOptions(parent=parent, depends_on=[parent])


def _whole(number: Any) -> int | None:
    # Over the wire every number is a float.
    return None if number is None else int(number)
