"""Networks: an existing VPC as the settings describe it, and large enough; endpoints where AWS has them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from doctor.account import Place
from doctor.checks.names import cluster
from doctor.finding import Finding, ok, problem, series, warning
from doctor.machines import machine_groups
from doctor.subnets import prefix_addresses
from moka.endpoint_services import Service, service_name
from moka.machines.node_addresses import node_addresses
from moka.pod_subnets import prefix_reservations
from moka.subnet_plan import usable_addresses
from stacks.settings.foundation import ExistingNetwork
from stacks.settings.network_use import interface_endpoints

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
        sentence = f"VPC {network.vpc} does not exist in {place.account}, {place.region}."
        yield problem(place.name, sentence, "Correct its id.")
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
    yield from _reservations(place, network, subnets)
    yield from _default_routes(place, network, subnets)


def endpoint_services(place: Place) -> Iterator[Finding]:
    """AWS has endpoints of the services in the network's zones, with a policy where ours have one."""
    services = {
        service_name(place.region, service.name): service
        for service in interface_endpoints(place.settings, place.name)
    }
    if not services:
        return
    offers = {
        offer["ServiceName"]: offer
        for offer in place.items("ec2", "describe_vpc_endpoint_services", "ServiceDetails")
        if offer["ServiceName"] in services
    }
    findings = [
        problem(place.name, sentence, "Set network.interface_endpoints: false, or leave that zone out.")
        for name, service in services.items()
        for sentence in _lacking(name, service, offers.get(name), place.foundation.zones)
    ]
    yield from findings
    if not findings:
        zones = series(place.foundation.zones)
        yield ok(place.name, f"AWS has endpoints of all {len(services)} services in {zones}.")


def _lacking(
    name: str, service: Service, offer: Mapping[str, Any] | None, zones: Sequence[str]
) -> Iterator[str]:
    """What stands against an endpoint of a service, as AWS describes it."""
    if offer is None:
        yield f"AWS has no endpoint {name}."
        return
    if absent := [zone for zone in zones if zone not in offer["AvailabilityZones"]]:
        yield f"AWS has no endpoint {name} in {series(absent)}."
    if service.own_accounts and not offer["VpcEndpointPolicySupported"]:
        yield f"Endpoint {name} takes no policy, and ours lets only the environment's accounts through."


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
    needs = _addresses(place, network)
    free = {id_: _free(place, network, subnets[id_]) for id_ in needs if id_ in subnets}
    short = [(id_, needs[id_], number) for id_, number in free.items() if needs[id_] > number]
    running = [name for name in place.clusters if short and cluster(place, place.cluster_name(name))]
    for id_, number, available in short:
        sentence = f"Subnet {id_} has {available:,} free addresses, and all machines together need {number:,}"
        if running:
            yield warning(
                place.name,
                f"{sentence}, including those that {series(running)} has already.",
                "Check how many of them are in use.",
            )
        else:
            yield problem(
                place.name,
                f"{sentence}.",
                "Take larger subnets (pod_subnets, only for pods), fewer machines, or fewer pods a machine.",
            )
    if not short:
        yield ok(place.name, "Its subnets have addresses for all machines and pods.")


def _free(place: Place, network: ExistingNetwork, subnet: Mapping[str, Any]) -> int:
    """Free addresses of a subnet; a subnet of pods does not count those that are reserved for prefixes."""
    free, id_ = int(subnet["AvailableIpAddressCount"]), subnet["SubnetId"]
    if id_ not in network.pod_subnets.values():
        return free
    return min(free + prefix_addresses(place, id_), usable_addresses(subnet["CidrBlock"]))


def _reservations(
    place: Place, network: ExistingNetwork, subnets: Mapping[str, Mapping[str, Any]]
) -> Iterator[Finding]:
    """Subnets of pods have room that no single address breaks up."""
    for id_ in network.pod_subnets.values():
        if id_ in subnets and not prefix_addresses(place, id_):
            [largest, *_] = prefix_reservations(subnets[id_]["CidrBlock"])
            yield warning(
                place.name,
                f"Subnet {id_} has no reservation for prefixes: with single addresses in all parts of it, "
                "nodes find no prefix for their pods (InsufficientCidrBlocks) while addresses are free.",
                f"`aws ec2 create-subnet-cidr-reservation --region {place.region} --subnet-id {id_} "
                f"--reservation-type prefix --cidr {largest}`, and the same for the other upper halves.",
            )


def _addresses(place: Place, network: ExistingNetwork) -> Counter[str]:
    """Subnet -> addresses of it that machines and pods take, at most."""
    needs: Counter[str] = Counter()
    for group in machine_groups(place):
        settings = group.settings
        addresses = node_addresses(
            settings.role, group.types, settings.max_pods, pod_subnets=bool(network.pod_subnets)
        )
        for zone in group.zones:
            nodes = network.private_subnets.get(zone)
            if nodes is None:
                continue
            needs[nodes] += group.per_zone
            needs[network.pod_subnets.get(zone) or nodes] += group.per_zone * addresses.for_pods
    return needs


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
