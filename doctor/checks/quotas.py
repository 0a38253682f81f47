"""Quotas: what the environment may come to need, beside what the account allows and others use."""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from doctor.account import Place, Unanswered
from doctor.finding import Finding, not_checked, ok, problem, warning
from doctor.machines import Machines, counted_as, machines, vcpus
from doctor.question import Question

TIGHT = 0.8
"""Share of a quota from which on it is worth a warning."""

ON_DEMAND = {
    "Standard": "L-1216C47A",
    "G and VT": "L-DB2E81BA",
    "P": "L-417A185B",
    "X": "L-7295265B",
    "F": "L-74FC7D96",
    "Inf": "L-1945791B",
    "Trn": "L-2C3B7624",
    "DL": "L-6E869C2A",
    "HPC": "L-F7808C92",
    "High Memory": "L-43DA4232",
}
"""Class of instance types -> EC2's quota of vCPUs on demand."""

SPOT = {
    "Standard": "L-34B43A08",
    "G and VT": "L-3819A6DF",
    "P": "L-7212CCBC",
    "X": "L-E3A00192",
    "F": "L-88CF9481",
    "Inf": "L-B5D1601B",
    "Trn": "L-6B0D517C",
    "DL": "L-85EED4F7",
}
"""Class of instance types -> EC2's quota of vCPUs of spot requests."""

P5_SPOT = "L-C4BD4855"
"""Spot requests of P5 are counted apart from those of older P."""

CLUSTER_TAG = "eks:cluster-name"
"""Tag that EKS gives the instances of its node groups."""

INTERFACE_ENDPOINTS = 12
"""Interface endpoints that a network makes, at most."""

ROLES_A_CLUSTER = 10
"""IAM roles of a cluster, its nodes and its add-ons, besides one for each job namespace."""


@dataclass(frozen=True, kw_only=True)
class Need:
    """What the environment needs of something that AWS counts.

    what: of which, in the plural.
    needed: in all, with what exists already.
    others: what others in the account have; a function, as the question may not be permitted.
    """

    where: str
    service: str
    code: str
    what: str
    needed: float
    others: Callable[[], float] = lambda: 0.0


Amount = Callable[[Place], float]


@dataclass(frozen=True)
class Quota:
    """A quota for an account and region: how much of it the environment needs, and what others use."""

    service: str
    code: str
    what: str
    needed: Amount
    others: Amount


def limit(place: Place, service: str, code: str) -> float:
    """What the account is allowed: its own quota, or AWS's default. Raises Unanswered."""
    names = {"ServiceCode": service, "QuotaCode": code}
    try:
        answer = place.ask("service-quotas", "get_service_quota", **names)
    except Unanswered as error:
        if error.code != "NoSuchResourceException":
            raise
        answer = place.ask("service-quotas", "get_aws_default_service_quota", **names)
    return float(answer["Quota"]["Value"])


def judge(place: Place, need: Need) -> Finding:
    """Whether the account's quota is enough for a need."""
    try:
        allowed = limit(place, need.service, need.code)
    except Unanswered as error:
        return not_checked(
            need.where,
            f"{need.what}: {_number(need.needed)} needed; what is allowed is not known: {error.reason}.",
        )
    try:
        others = need.others()
        used = f", {_number(others)} in use by others" if others else ""
    except Unanswered as error:
        others, used = 0.0, f" (what others use is not known: {error.reason})"
    total = math.ceil(need.needed + others)
    what = f"{need.what}: {_number(need.needed)} needed{used}, {_number(allowed)} allowed"
    remedy = (
        f"`aws service-quotas request-service-quota-increase --region {place.region} --service-code "
        f"{need.service} --quota-code {need.code} --desired-value {total}`."
    )
    if total > allowed:
        return problem(need.where, f"{what}.", remedy)
    if total > TIGHT * allowed:
        return warning(need.where, f"{what}: not much is left.", remedy)
    return ok(need.where, f"{what}.")


def on_demand(place: Place) -> Iterator[Finding]:
    """vCPUs on demand, by class of instance types."""
    yield from _vcpus(place, spot=False)


def spot(place: Place) -> Iterator[Finding]:
    """vCPUs of spot requests, by class of instance types."""
    yield from _vcpus(place, spot=True)


def _vcpus(place: Place, spot: bool) -> Iterator[Finding]:
    groups = [machine for machine in machines(place) if machine.settings.spot == spot]
    sizes = vcpus(place, {name for group in groups for name in group.types})
    needed: Counter[tuple[str, str]] = Counter()
    for group in groups:
        largest: dict[tuple[str, str], int] = {}
        for name in group.types:
            key = _vcpu_quota(name, spot)
            largest[key] = max(largest.get(key, 0), sizes[name])
        for key, size in largest.items():
            needed[key] += group.settings.maximum * size
    for (class_, code), number in sorted(needed.items()):
        what = f"vCPUs of {class_} instances, {'spot' if spot else 'on demand'}"
        yield judge(
            place,
            Need(
                where=place.name,
                service="ec2",
                code=code,
                what=what,
                needed=number,
                others=partial(_vcpus_of_others, place, spot, code),
            ),
        )


def _vcpu_quota(type_name: str, spot: bool) -> tuple[str, str]:
    class_ = counted_as(type_name)
    if spot and type_name.startswith("p5"):
        return "P5", P5_SPOT
    return class_, (SPOT if spot else ON_DEMAND).get(class_, ON_DEMAND[class_])


def _vcpus_of_others(place: Place, spot: bool, code: str) -> float:
    types: Counter[str] = Counter()
    for instance in _instances(place):
        type_, is_spot = instance["InstanceType"], instance.get("InstanceLifecycle") == "spot"
        if is_spot == spot and not _ours(place, instance) and _vcpu_quota(type_, spot)[1] == code:
            types[type_] += 1
    sizes = vcpus(place, set(types))
    return float(sum(sizes[type_] * number for type_, number in types.items()))


def _instances(place: Place) -> Iterator[dict[str, Any]]:
    running = [{"Name": "instance-state-name", "Values": ["pending", "running"]}]
    for reservation in place.every("ec2", "describe_instances", "Reservations", Filters=running):
        yield from reservation["Instances"]


def _eks_names(place: Place) -> set[str]:
    return {place.cluster_name(name) for name in place.clusters}


def _ours(place: Place, item: dict[str, Any]) -> bool:
    """Whether an instance or an Auto Scaling group belongs to a node group of this environment."""
    clusters = _eks_names(place)
    return any(tag["Key"] == CLUSTER_TAG and tag["Value"] in clusters for tag in item.get("Tags") or [])


def nat_gateways(place: Place) -> Iterator[Finding]:
    """NAT gateways of the fullest zone."""
    network = place.foundation.network
    if network is None:
        return
    zones = network.zones if network.nat == "zonal" else network.zones[:1]

    def others() -> float:
        zone_of = {
            s["SubnetId"]: s["AvailabilityZone"] for s in place.every("ec2", "describe_subnets", "Subnets")
        }
        gateways = Counter(
            zone_of.get(gateway["SubnetId"])
            for gateway in place.every("ec2", "describe_nat_gateways", "NatGateways")
            if gateway["State"] in ("pending", "available") and not place.ours(gateway.get("Tags"))
        )
        return float(max(gateways[zone] for zone in zones))

    what = "NAT gateways a zone"
    need = Need(where=place.name, service="vpc", code="L-FE5A380F", what=what, needed=1, others=others)
    yield judge(place, need)


def node_groups(place: Place) -> Iterator[Finding]:
    """Node groups of the cluster that has most, and machines of the largest node group."""
    groups: Counter[str] = Counter()
    sizes: dict[tuple[str, str], int] = {}
    for machine in machines(place):
        groups[machine.cluster] += _eks_groups(machine)
        per_zone = machine.settings.per_zone
        sizes[machine.cluster, machine.name] = machine.a_zone if per_zone else machine.settings.maximum
    for cluster, number in groups.most_common(1):
        yield judge(place, _cluster_need(place, cluster, "L-6D54EA21", "Managed node groups", number))
        where, largest = max(sizes, key=lambda key: sizes[key]), max(sizes.values())
        what = f"Machines of node group {where[1]}"
        yield judge(place, _cluster_need(place, where[0], "L-BD136A63", what, largest))


def _cluster_need(place: Place, cluster: str, code: str, what: str, needed: int) -> Need:
    return Need(where=f"{place.name}/{cluster}", service="eks", code=code, what=what, needed=needed)


def _eks_groups(machine: Machines) -> int:
    """EKS node groups that a node group of the settings is."""
    return len(machine.zones) if machine.settings.per_zone else 1


def roles(place: Place) -> Iterator[Finding]:
    """IAM roles; IAM itself says how many there are and may be."""
    needed = len(place.clusters) * (ROLES_A_CLUSTER + len(place.settings.job_namespaces))
    summary = place.ask("iam", "get_account_summary")["SummaryMap"]
    existing, allowed = int(summary["Roles"]), int(summary["RolesQuota"])
    what = f"IAM roles: about {needed:,} needed, {existing:,} there, {allowed:,} allowed"
    if needed + existing > allowed:
        yield warning(
            place.name,
            f"{what}.",
            f"`aws service-quotas request-service-quota-increase --region us-east-1 --service-code iam "
            f"--quota-code L-FE177D64 --desired-value {needed + existing}`.",
        )
    else:
        yield ok(place.name, f"{what}.")


def _new_vpcs(place: Place) -> float:
    return 1.0 if place.foundation.network else 0.0


def _elastic_ips(place: Place) -> float:
    network = place.foundation.network
    return float(len(network.zones) if network and network.nat == "zonal" else bool(network))


def _foreign(service: str, operation: str, key: str, **parameters: Any) -> Amount:
    """How many of the items that AWS lists do not have this environment's tag."""

    def count(place: Place) -> float:
        items = place.every(service, operation, key, **parameters)
        return float(sum(not place.ours(item.get("Tags")) for item in items))

    return count


def _foreign_addresses(place: Place) -> float:
    addresses = place.ask("ec2", "describe_addresses")["Addresses"]
    return float(sum(not place.ours(address.get("Tags")) for address in addresses))


def _interface_endpoints(place: Place) -> float:
    network = place.foundation.network
    return INTERFACE_ENDPOINTS if network and network.interface_endpoints else 0


def _interfaces(place: Place) -> float:
    """Interfaces of all machines: one for itself, and one for pods that have subnets of their own."""
    network, existing = place.foundation.network, place.foundation.existing_network
    pod_subnets = bool(network.pod_cidrs if network else existing and existing.pod_subnets)
    return float(sum(machine.settings.maximum for machine in machines(place)) * (1 + pod_subnets))


def _foreign_interfaces(place: Place) -> float:
    existing = place.foundation.existing_network
    vpcs = {existing.vpc} if existing else set()
    vpcs |= {v["VpcId"] for v in place.every("ec2", "describe_vpcs", "Vpcs") if place.ours(v.get("Tags"))}
    interfaces = place.every("ec2", "describe_network_interfaces", "NetworkInterfaces")
    return float(sum(interface.get("VpcId") not in vpcs for interface in interfaces))


def _disks(place: Place) -> float:
    """TiB of root disks."""
    return sum(machine.settings.maximum * machine.settings.disk.gib for machine in machines(place)) / 1024


def _foreign_disks(place: Place) -> float:
    instances = {instance["InstanceId"] for instance in _instances(place) if _ours(place, instance)}
    gp3 = [{"Name": "volume-type", "Values": ["gp3"]}]
    gib: int = sum(
        volume["Size"]
        for volume in place.every("ec2", "describe_volumes", "Volumes", Filters=gp3)
        if not any(attached["InstanceId"] in instances for attached in volume.get("Attachments") or [])
    )
    return gib / 1024


def _foreign_clusters(place: Place) -> float:
    clusters = place.every("eks", "list_clusters", "clusters")
    return float(sum(name not in _eks_names(place) for name in clusters))


def _foreign_scaling_groups(place: Place) -> float:
    groups = place.every("autoscaling", "describe_auto_scaling_groups", "AutoScalingGroups")
    return float(sum(not _ours(place, group) for group in groups))


GATEWAY_ENDPOINTS = [{"Name": "vpc-endpoint-type", "Values": ["Gateway"]}]

QUOTAS = (
    Quota("vpc", "L-F678F1CE", "VPCs", _new_vpcs, _foreign("ec2", "describe_vpcs", "Vpcs")),
    Quota(
        "vpc",
        "L-A4707A72",
        "Internet gateways",
        _new_vpcs,
        _foreign("ec2", "describe_internet_gateways", "InternetGateways"),
    ),
    Quota("ec2", "L-0263D0A3", "Elastic IP addresses", _elastic_ips, _foreign_addresses),
    Quota(
        "vpc",
        "L-1B52E74A",
        "Gateway endpoints",
        _new_vpcs,
        _foreign("ec2", "describe_vpc_endpoints", "VpcEndpoints", Filters=GATEWAY_ENDPOINTS),
    ),
    Quota("vpc", "L-29B6F2EB", "Interface endpoints of the VPC", _interface_endpoints, lambda place: 0),
    Quota("vpc", "L-DF5E4CA3", "Network interfaces", _interfaces, _foreign_interfaces),
    Quota("ebs", "L-7A658B76", "TiB of gp3 disks", _disks, _foreign_disks),
    Quota("eks", "L-1194D53C", "EKS clusters", lambda place: len(place.clusters), _foreign_clusters),
    Quota(
        "autoscaling",
        "L-CDE20ADC",
        "Auto Scaling groups",
        lambda place: sum(map(_eks_groups, machines(place))),
        _foreign_scaling_groups,
    ),
)


def _judge_quota(quota: Quota, place: Place) -> Iterator[Finding]:
    if needed := quota.needed(place):
        need = Need(
            where=place.name,
            service=quota.service,
            code=quota.code,
            what=quota.what,
            needed=needed,
            others=partial(quota.others, place),
        )
        yield judge(place, need)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


QUESTIONS = (
    Question("Quotas of vCPUs on demand", on_demand),
    Question("Quotas of vCPUs of spot requests", spot),
    *(Question(f"Quota of {quota.what}", partial(_judge_quota, quota)) for quota in QUOTAS),
    Question("Quota of NAT gateways a zone", nat_gateways),
    Question("Quotas of node groups", node_groups),
    Question("Quota of IAM roles", roles),
)
