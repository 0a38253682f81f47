"""An existing VPC: as the settings describe it, and large enough."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from doctor.account import Place
from doctor.checks.names import cluster
from doctor.finding import Finding, ok, problem, series, warning
from doctor.machines import machine_groups
from moka.machines.pod_addresses import pod_addresses
from stacks.settings.foundation import ExistingNetwork

LOAD_BALANCER_TAGS = {
    "private_subnets": "kubernetes.io/role/internal-elb",
    "public_subnets": "kubernetes.io/role/elb",
}
"""Tag by which the load balancer controller finds the subnets of a kind."""


def existing_vpc(place: Place) -> Iterator[Finding]:
    """The VPC and its subnets exist, in their zones, and have addresses for the machines and pods."""
    network = place.foundation.existing_network
    if network is None:
        return
    if place.find("ec2", "describe_vpcs", "InvalidVpcID.NotFound", VpcIds=[network.vpc]) is None:
        what = f"VPC {network.vpc} does not exist in {place.account}, {place.region}."
        yield problem(place.name, what, "Correct its id.")
        return
    yield ok(place.name, f"VPC {network.vpc} exists.")
    yield from _dns(place, network)
    in_vpc = [{"Name": "vpc-id", "Values": [network.vpc]}]
    subnets = {
        subnet["SubnetId"]: subnet
        for subnet in place.items("ec2", "describe_subnets", "Subnets", Filters=in_vpc)
    }
    yield from _subnets(place, network, subnets)
    yield from _free_addresses(place, network, subnets)
    yield from _default_routes(place, network, subnets)


def _dns(place: Place, network: ExistingNetwork) -> Iterator[Finding]:
    """A private endpoint is found by the VPC's own DNS."""
    for attribute, key in (
        ("enableDnsSupport", "EnableDnsSupport"),
        ("enableDnsHostnames", "EnableDnsHostnames"),
    ):
        answer = place.ask("ec2", "describe_vpc_attribute", VpcId=network.vpc, Attribute=attribute)
        if not answer[key]["Value"]:
            option = "--enable-dns-support" if attribute == "enableDnsSupport" else "--enable-dns-hostnames"
            yield problem(
                place.name,
                f"VPC {network.vpc} has {attribute} off, and nodes find the API server by it.",
                f"`aws ec2 modify-vpc-attribute --region {place.region} --vpc-id {network.vpc} {option}`.",
            )


def _subnets(
    place: Place, network: ExistingNetwork, subnets: Mapping[str, Mapping[str, Any]]
) -> Iterator[Finding]:
    wrong, number = 0, 0
    for kind in ("private_subnets", "public_subnets", "pod_subnets"):
        for zone, id_ in getattr(network, kind).items():
            number += 1
            at = f"existing_network.{kind}.{zone}"
            subnet = subnets.get(id_)
            if subnet is None:
                wrong += 1
                yield problem(place.name, f"{at}: VPC {network.vpc} has no subnet {id_}.", "Correct its id.")
            elif subnet["AvailabilityZone"] != zone:
                wrong += 1
                yield problem(
                    place.name, f"{at}: subnet {id_} is in {subnet['AvailabilityZone']}.", "Correct the zone."
                )
            elif (tag := LOAD_BALANCER_TAGS.get(kind)) and tag not in (
                item["Key"] for item in subnet.get("Tags", [])
            ):
                yield warning(
                    place.name,
                    f"{at}: subnet {id_} has no tag {tag}, and gets no load balancers.",
                    f"`aws ec2 create-tags --region {place.region} --resources {id_} "
                    f"--tags Key={tag},Value=1`.",
                )
    if not wrong:
        yield ok(place.name, f"Its {number} subnets exist in their zones.")


def _free_addresses(
    place: Place, network: ExistingNetwork, subnets: Mapping[str, Mapping[str, Any]]
) -> Iterator[Finding]:
    needed = _addresses(place, network)
    short = [
        (id_, number, subnets[id_]["AvailableIpAddressCount"])
        for id_, number in needed.items()
        if id_ in subnets and number > subnets[id_]["AvailableIpAddressCount"]
    ]
    running = [name for name in place.clusters if short and cluster(place, place.cluster_name(name))]
    for id_, number, free in short:
        what = f"Subnet {id_} has {free:,} free addresses, and all machines together need {number:,}"
        if running:
            yield warning(
                place.name,
                f"{what}, including those that {series(running)} has already.",
                "Check how many of them are in use.",
            )
        else:
            yield problem(
                place.name,
                f"{what}.",
                "Take larger subnets (pod_subnets, only for pods), fewer machines, or fewer pods a machine.",
            )
    if not short:
        yield ok(place.name, "Its subnets have addresses for all machines and pods.")


def _addresses(place: Place, network: ExistingNetwork) -> Counter[str]:
    """Subnet -> addresses of it that machines and pods take, at most."""
    needed: Counter[str] = Counter()
    for group in machine_groups(place):
        pods = pod_addresses(group.settings.role, group.settings.max_pods)
        for zone in group.zones:
            nodes = network.private_subnets.get(zone)
            if nodes is None:
                continue
            needed[nodes] += group.per_zone
            # With a subnet of its own for pods, a machine has a second interface, with an address too.
            pod_subnet = network.pod_subnets.get(zone)
            needed[pod_subnet or nodes] += group.per_zone * (pods + (1 if pod_subnet else 0))
    return needed


def _default_routes(
    place: Place, network: ExistingNetwork, subnets: Mapping[str, Mapping[str, Any]]
) -> Iterator[Finding]:
    """Nodes reach registries and AWS by a default route, or else by endpoints in the VPC."""
    in_vpc = [{"Name": "vpc-id", "Values": [network.vpc]}]
    tables = list(place.items("ec2", "describe_route_tables", "RouteTables", Filters=in_vpc))
    main = next((t for t in tables if any(a.get("Main") for a in t["Associations"])), None)
    for id_ in network.private_subnets.values():
        if id_ not in subnets:
            continue
        table = next((t for t in tables if any(a.get("SubnetId") == id_ for a in t["Associations"])), main)
        routes = table["Routes"] if table else []
        if not any(route.get("DestinationCidrBlock") == "0.0.0.0/0" for route in routes):
            yield warning(
                place.name,
                f"Subnet {id_} has no default route: nodes there reach nothing outside the VPC.",
                "Have endpoints in the VPC for S3, ECR, STS, EC2, EKS, EKS auth, CloudWatch logs and KMS, "
                "and a mirror of all images.",
            )
