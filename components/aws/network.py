"""The network of a region: public, private and pod subnets in every zone, and the ways out of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import pulumi
import pulumi_aws as aws

from moka.components.ordering import after
from moka.pod_subnets import prefix_reservations
from moka.subnet_plan import subnet_plans


@dataclass(frozen=True, kw_only=True)
class TransitGateway:
    """The way to other networks of the company.

    id: of a transit gateway that is there, which accepts attachments of this account by itself.
    cidrs: networks behind it, to which private and pod subnets have a way; answers need it too.
    """

    id: str
    cidrs: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class NetworkArgs:
    """What differs between networks.

    region: region of the network.
    cidr: addresses of the VPC, /16 to /20; a change replaces everything in it.
    zones: two or three availability zones; their order decides their addresses, so only append;
        control planes that are there stay in those that they have.
    pod_cidrs: more addresses of the VPC, for pods: one range that the zones share, or one a zone in their
        order; without, pods are in the private subnets.
    nat: `single` shares one NAT gateway (cheaper, gone with its zone), `zonal` has one in every zone.
    transit_gateway: connects it to other networks; without, to none.
    retain: protect VPC and subnets, and keep them when they are removed from the stack.
    tags: of every AWS resource that is made here.
    """

    region: str
    cidr: str
    zones: tuple[str, ...]
    pod_cidrs: tuple[str, ...] = ()
    nat: Literal["single", "zonal"] = "zonal"
    transit_gateway: TransitGateway | None = None
    retain: bool = True
    tags: dict[str, str] = field(default_factory=dict)


class Network(pulumi.ComponentResource):
    """Pulumi type `moka:aws:Network`.

    Makes: ec2.Vpc, VpcIpv4CidrBlockAssociation for each range of pods, DefaultSecurityGroup (emptied),
    InternetGateway; in every zone a public, a private and, where there are ranges for it, a pod Subnet, each
    with its RouteTableAssociation, and the RouteTable and Route that private and pod subnet share; in a pod
    Subnet the SubnetCidrReservations that only prefixes are taken from; the public RouteTable and Route; Eip
    and NatGateway, one or one a zone; VpcEndpoint (gateway) of S3; with a transit gateway its VpcAttachment
    in the private subnets, and a Route a zone to each network behind it.
    Outputs: `vpc_id`; `public_subnets`, `private_subnets` and `pod_subnets`, zone -> subnet id, known only
    once traffic finds its way out of them, and in those of pods prefixes have their place; `pod_subnets` is
    empty where pods are in the private ones.
    """

    vpc_id: pulumi.Output[str]
    public_subnets: pulumi.Output[dict[str, str]]
    private_subnets: pulumi.Output[dict[str, str]]
    pod_subnets: pulumi.Output[dict[str, str]]

    def __init__(self, name: str, args: NetworkArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:aws:Network", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        # Nodes, load balancers and API servers have addresses in them: nothing here is quickly replaced.
        lasting = pulumi.ResourceOptions(parent=self, protect=args.retain, retain_on_delete=args.retain)
        plans = subnet_plans(args.cidr, args.zones, args.pod_cidrs)

        vpc = aws.ec2.Vpc(
            name,
            cidr_block=args.cidr,
            enable_dns_hostnames=True,
            enable_dns_support=True,
            tags=args.tags | {"Name": name},
            opts=lasting,
        )
        # What forgets to name a security group gets this one: it lets nothing through.
        aws.ec2.DefaultSecurityGroup(
            name, vpc_id=vpc.id, tags=args.tags | {"Name": f"{name}-default"}, opts=child
        )
        internet = aws.ec2.InternetGateway(name, vpc_id=vpc.id, tags=args.tags | {"Name": name}, opts=child)

        public_table = aws.ec2.RouteTable(
            f"{name}-public", vpc_id=vpc.id, tags=args.tags | {"Name": f"{name}-public"}, opts=child
        )
        public_route = aws.ec2.Route(
            f"{name}-public",
            route_table_id=public_table.id,
            destination_cidr_block="0.0.0.0/0",
            gateway_id=internet.id,
            opts=child,
        )

        # Logical names carry the zone, so that one zone more or less leaves the others as they are.
        def subnets(
            kind: str,
            cidrs: Mapping[str, str],
            tags: Mapping[str, str],
            opts: pulumi.ResourceOptions = lasting,
        ) -> dict[str, aws.ec2.Subnet]:
            return {
                zone: aws.ec2.Subnet(
                    f"{name}-{kind}-{zone}",
                    vpc_id=vpc.id,
                    availability_zone=zone,
                    cidr_block=cidr,
                    map_public_ip_on_launch=False,
                    tags=args.tags | {"Name": f"{name}-{kind}-{zone}", **tags},
                    opts=opts,
                )
                for zone, cidr in cidrs.items()
            }

        def associations(
            kind: str, subnets: Mapping[str, aws.ec2.Subnet], tables: Mapping[str, aws.ec2.RouteTable]
        ) -> list[aws.ec2.RouteTableAssociation]:
            return [
                aws.ec2.RouteTableAssociation(
                    f"{name}-{kind}-{zone}", subnet_id=subnet.id, route_table_id=tables[zone].id, opts=child
                )
                for zone, subnet in subnets.items()
            ]

        public = subnets(
            "public", {plan.zone: plan.public for plan in plans}, {"kubernetes.io/role/elb": "1"}
        )
        public_associations = associations("public", public, dict.fromkeys(args.zones, public_table))

        gateways = {
            zone: self._nat_gateway(name, zone, public[zone], args.tags, internet)
            for zone in (args.zones if args.nat == "zonal" else args.zones[:1])
        }

        private = subnets(
            "private", {plan.zone: plan.private for plan in plans}, {"kubernetes.io/role/internal-elb": "1"}
        )
        # A table a zone even with one gateway, so that `nat` changes routes and nothing else.
        private_tables = {
            zone: aws.ec2.RouteTable(
                f"{name}-private-{zone}",
                vpc_id=vpc.id,
                tags=args.tags | {"Name": f"{name}-private-{zone}"},
                opts=child,
            )
            for zone in args.zones
        }
        private_routes = [
            aws.ec2.Route(
                f"{name}-private-{zone}",
                route_table_id=table.id,
                destination_cidr_block="0.0.0.0/0",
                nat_gateway_id=gateways.get(zone, gateways[args.zones[0]]).id,
                opts=child,
            )
            for zone, table in private_tables.items()
        ]
        private_associations = associations("private", private, private_tables)

        if args.transit_gateway:
            private_routes += self._transit_routes(
                name, args.transit_gateway, vpc, private, private_tables, args.tags
            )

        ranges = [
            aws.ec2.VpcIpv4CidrBlockAssociation(
                # Carries the range: appending one leaves the others as they are.
                f"{name}-pods-{cidr.replace('/', '-')}",
                vpc_id=vpc.id,
                cidr_block=cidr,
                opts=child,
            )
            for cidr in args.pod_cidrs
        ]
        # A subnet can only be where its range is the VPC's.
        pod_cidrs = {plan.zone: plan.pods for plan in plans if plan.pods}
        pods = subnets("pods", pod_cidrs, {}, after(lasting, *ranges))
        pod_associations = associations("pods", pods, private_tables)
        reservations = [
            aws.ec2.SubnetCidrReservation(
                f"{name}-pods-{zone}-{cidr.replace('/', '-')}",
                subnet_id=subnet.id,
                cidr_block=cidr,
                reservation_type="prefix",
                opts=child,
            )
            for zone, subnet in pods.items()
            for cidr in prefix_reservations(pod_cidrs[zone])
        ]
        # Shuffle and event logs go to S3 past the NAT gateways, which charge by the byte. The endpoint lets
        # everything through: image layers, packages of AL2023 and data of other accounts come from S3 too,
        # and whose data it is, the bucket's policy knows.
        aws.ec2.VpcEndpoint(
            f"{name}-s3",
            vpc_id=vpc.id,
            service_name=f"com.amazonaws.{args.region}.s3",
            vpc_endpoint_type="Gateway",
            route_table_ids=[table.id for table in private_tables.values()],
            tags=args.tags | {"Name": f"{name}-s3"},
            opts=child,
        )

        self.vpc_id = vpc.id
        self.public_subnets = _once_ready(public, [public_route, *public_associations])
        self.private_subnets = _once_ready(private, [*private_routes, *private_associations])
        self.pod_subnets = _once_ready(pods, [*private_routes, *pod_associations, *reservations])
        self.register_outputs(
            {
                "vpc_id": self.vpc_id,
                "public_subnets": self.public_subnets,
                "private_subnets": self.private_subnets,
                "pod_subnets": self.pod_subnets,
            }
        )

    def _transit_routes(
        self,
        name: str,
        gateway: TransitGateway,
        vpc: aws.ec2.Vpc,
        subnets: Mapping[str, aws.ec2.Subnet],
        tables: Mapping[str, aws.ec2.RouteTable],
        tags: dict[str, str],
    ) -> list[aws.ec2.Route]:
        """Attach the VPC to a transit gateway, and route what is behind it there."""
        attachment = aws.ec2transitgateway.VpcAttachment(
            name,
            transit_gateway_id=gateway.id,
            vpc_id=vpc.id,
            # Only zones with a subnet in the attachment are led through it.
            subnet_ids=[subnet.id for subnet in subnets.values()],
            tags=tags | {"Name": name},
            opts=pulumi.ResourceOptions(parent=self),
        )
        return [
            aws.ec2.Route(
                # Carries the network: one more leaves the others as they are.
                f"{name}-private-{zone}-{cidr.replace('/', '-')}",
                route_table_id=table.id,
                destination_cidr_block=cidr,
                transit_gateway_id=gateway.id,
                # AWS knows no transit gateway that the VPC is not attached to.
                opts=pulumi.ResourceOptions(parent=self, depends_on=[attachment]),
            )
            for zone, table in tables.items()
            for cidr in gateway.cidrs
        ]

    def _nat_gateway(
        self,
        name: str,
        zone: str,
        subnet: aws.ec2.Subnet,
        tags: dict[str, str],
        internet: aws.ec2.InternetGateway,
    ) -> aws.ec2.NatGateway:
        tags = tags | {"Name": f"{name}-{zone}"}
        address = aws.ec2.Eip(
            f"{name}-{zone}", domain="vpc", tags=tags, opts=pulumi.ResourceOptions(parent=self)
        )
        # A NAT gateway is only of use, and can only be deleted in time, while the internet gateway stands.
        return aws.ec2.NatGateway(
            f"{name}-{zone}",
            subnet_id=subnet.id,
            allocation_id=address.id,
            tags=tags,
            opts=pulumi.ResourceOptions(parent=self, depends_on=[internet]),
        )


def _once_ready(
    subnets: dict[str, aws.ec2.Subnet], dependencies: Iterable[pulumi.CustomResource]
) -> pulumi.Output[dict[str, str]]:
    ids = {zone: subnet.id for zone, subnet in subnets.items()}
    return pulumi.Output.all(ids, *[resource.id for resource in dependencies]).apply(
        lambda values: dict(values[0])
    )
