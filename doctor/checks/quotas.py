"""Quotas: what the environment may come to need, beside what the account allows and others use."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
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
    needed: in all, with what is there already.
    others: what others in the account have; a function, as it may not be allowed to ask.
    """

    where: str
    service: str
    code: str
    what: str
    needed: float
    others: Callable[[], float] = lambda: 0.0


@dataclass(frozen=True, kw_only=True)
class Count:
    """A quota for an account and region of which needs are plain to count."""

    service: str
    code: str
    what: str
    needed: Callable[[Place], float]
    others: Callable[[Place], float]


def limit(place: Place, service: str, code: str) -> float:
    """What the account is allowed: its own quota, or AWS's default. Raises Unanswered."""
    names = {"ServiceCode": service, "QuotaCode": code}
    try:
        answer = place.ask("service-quotas", "get_service_quota", **names)
    except Unanswered as no:
        if no.code != "NoSuchResourceException":
            raise
        answer = place.ask("service-quotas", "get_aws_default_service_quota", **names)
    return float(answer["Quota"]["Value"])


def judged(place: Place, need: Need) -> Finding:
    """A need beside its quota."""
    try:
        allowed = limit(place, need.service, need.code)
    except Unanswered as no:
        return not_checked(
            need.where,
            f"{need.what}: {_number(need.needed)} needed; what is allowed is not known: {no.reason}.",
        )
    try:
        others, used = need.others(), ""
        if others:
            used = f", {_number(others)} in use by others"
    except Unanswered as no:
        others, used = 0.0, f" (what others use is not known: {no.reason})"
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
    groups = [each for each in machines(place) if each.group.spot == spot]
    sizes = vcpus(place, {name for each in groups for name in each.types})
    needed: Counter[tuple[str, str]] = Counter()
    for each in groups:
        largest: dict[tuple[str, str], int] = {}
        for name in each.types:
            key = _quota(name, spot)
            largest[key] = max(largest.get(key, 0), sizes[name])
        for key, size in largest.items():
            needed[key] += each.group.maximum * size
    for (class_, code), number in sorted(needed.items()):
        what = f"vCPUs of {class_} instances, {'spot' if spot else 'on demand'}"
        yield judged(
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


def _quota(type_name: str, spot: bool) -> tuple[str, str]:
    class_ = counted_as(type_name)
    if spot and type_name.startswith("p5"):
        return "P5", P5_SPOT
    return class_, (SPOT if spot else ON_DEMAND).get(class_, ON_DEMAND[class_])


def _vcpus_of_others(place: Place, spot: bool, code: str) -> float:
    types: Counter[str] = Counter()
    for instance in _instances(place):
        type_, is_spot = instance["InstanceType"], instance.get("InstanceLifecycle") == "spot"
        if is_spot == spot and not _ours(place, instance) and _quota(type_, spot)[1] == code:
            types[type_] += 1
    sizes = vcpus(place, set(types))
    return float(sum(sizes[type_] * number for type_, number in types.items()))


def _instances(place: Place) -> Iterator[dict[str, Any]]:
    running = [{"Name": "instance-state-name", "Values": ["pending", "running"]}]
    for reservation in place.every("ec2", "describe_instances", "Reservations", Filters=running):
        yield from reservation["Instances"]


def _ours(place: Place, instance: dict[str, Any]) -> bool:
    clusters = {place.cluster_name(name) for name in place.clusters}
    return any(tag["Key"] == CLUSTER_TAG and tag["Value"] in clusters for tag in instance.get("Tags") or [])


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
        there = Counter(
            zone_of.get(gateway["SubnetId"])
            for gateway in place.every("ec2", "describe_nat_gateways", "NatGateways")
            if gateway["State"] in ("pending", "available") and not place.ours(gateway.get("Tags"))
        )
        return float(max(there[zone] for zone in zones))

    what = "NAT gateways a zone"
    yield judged(
        place,
        Need(where=place.name, service="vpc", code="L-FE5A380F", what=what, needed=1, others=others),
    )


def node_groups(place: Place) -> Iterator[Finding]:
    """Node groups of the cluster that has most, and machines of the largest node group."""
    groups: Counter[str] = Counter()
    sizes: dict[tuple[str, str], int] = {}
    for each in machines(place):
        groups[each.cluster] += _parts(each)
        sizes[each.cluster, each.name] = each.a_zone if each.group.per_zone else each.group.maximum
    for cluster, number in groups.most_common(1):
        yield judged(place, _of_cluster(place, cluster, "L-6D54EA21", "Managed node groups", number))
        where, largest = max(sizes, key=lambda key: sizes[key]), max(sizes.values())
        what = f"Machines of node group {where[1]}"
        yield judged(place, _of_cluster(place, where[0], "L-BD136A63", what, largest))


def _of_cluster(place: Place, cluster: str, code: str, what: str, needed: int) -> Need:
    return Need(where=f"{place.name}/{cluster}", service="eks", code=code, what=what, needed=needed)


def _parts(each: Machines) -> int:
    """EKS node groups that a node group of the settings is."""
    return len(each.zones) if each.group.per_zone else 1


def roles(place: Place) -> Iterator[Finding]:
    """IAM roles; IAM itself says how many there are and may be."""
    needed = len(place.clusters) * (ROLES_A_CLUSTER + len(place.settings.job_namespaces))
    told = place.ask("iam", "get_account_summary")["SummaryMap"]
    there, allowed = int(told["Roles"]), int(told["RolesQuota"])
    what = f"IAM roles: about {needed:,} needed, {there:,} there, {allowed:,} allowed"
    if needed + there > allowed:
        yield warning(
            place.name,
            f"{what}.",
            f"`aws service-quotas request-service-quota-increase --region us-east-1 --service-code iam "
            f"--quota-code L-FE177D64 --desired-value {needed + there}`.",
        )
    else:
        yield ok(place.name, f"{what}.")


def _vpcs(place: Place) -> float:
    return float(sum(not place.ours(vpc.get("Tags")) for vpc in place.every("ec2", "describe_vpcs", "Vpcs")))


def _made(place: Place) -> float:
    """One where the foundation makes its VPC."""
    return 1.0 if place.foundation.network else 0.0


def _addresses(place: Place) -> float:
    network = place.foundation.network
    if network is None:
        return 0.0
    return float(len(network.zones) if network.nat == "zonal" else 1)


def _tagged(place: Place, items: Iterable[dict[str, Any]]) -> float:
    """How many of the items are not of this environment."""
    return float(sum(not place.ours(item.get("Tags")) for item in items))


def _interfaces(place: Place) -> float:
    """Interfaces of all machines: one for itself, and one for pods that have subnets of their own."""
    network, existing = place.foundation.network, place.foundation.existing_network
    apart = bool(network.pod_cidrs if network else existing and existing.pod_subnets)
    return float(sum(each.group.maximum for each in machines(place)) * (2 if apart else 1))


def _interfaces_of_others(place: Place) -> float:
    existing = place.foundation.existing_network
    ours = {existing.vpc} if existing else set()
    ours |= {v["VpcId"] for v in place.every("ec2", "describe_vpcs", "Vpcs") if place.ours(v.get("Tags"))}
    there = place.every("ec2", "describe_network_interfaces", "NetworkInterfaces")
    return float(sum(interface.get("VpcId") not in ours for interface in there))


def _disks(place: Place) -> float:
    """TiB of root disks."""
    return sum(each.group.maximum * each.group.disk.gib for each in machines(place)) / 1024


def _disks_of_others(place: Place) -> float:
    ours = {instance["InstanceId"] for instance in _instances(place) if _ours(place, instance)}
    gp3 = [{"Name": "volume-type", "Values": ["gp3"]}]
    there = place.every("ec2", "describe_volumes", "Volumes", Filters=gp3)
    gib: int = sum(
        volume["Size"]
        for volume in there
        if not any(attached["InstanceId"] in ours for attached in volume.get("Attachments") or [])
    )
    return gib / 1024


def _clusters_of_others(place: Place) -> float:
    ours = {place.cluster_name(name) for name in place.clusters}
    return float(sum(name not in ours for name in place.every("eks", "list_clusters", "clusters")))


def _scaling_groups(place: Place) -> float:
    return float(sum(map(_parts, machines(place))))


def _scaling_groups_of_others(place: Place) -> float:
    ours = {place.cluster_name(name) for name in place.clusters}
    there = place.every("autoscaling", "describe_auto_scaling_groups", "AutoScalingGroups")
    return float(
        sum(
            not any(tag["Key"] == CLUSTER_TAG and tag["Value"] in ours for tag in group.get("Tags") or [])
            for group in there
        )
    )


COUNTS = (
    Count(service="vpc", code="L-F678F1CE", what="VPCs", needed=_made, others=_vpcs),
    Count(
        service="vpc",
        code="L-A4707A72",
        what="Internet gateways",
        needed=_made,
        others=lambda place: _tagged(
            place, place.every("ec2", "describe_internet_gateways", "InternetGateways")
        ),
    ),
    Count(
        service="ec2",
        code="L-0263D0A3",
        what="Elastic IP addresses",
        needed=_addresses,
        others=lambda place: _tagged(place, place.ask("ec2", "describe_addresses")["Addresses"]),
    ),
    Count(
        service="vpc",
        code="L-1B52E74A",
        what="Gateway endpoints",
        needed=_made,
        others=lambda place: _tagged(
            place,
            place.every(
                "ec2",
                "describe_vpc_endpoints",
                "VpcEndpoints",
                Filters=[{"Name": "vpc-endpoint-type", "Values": ["Gateway"]}],
            ),
        ),
    ),
    Count(
        service="vpc",
        code="L-29B6F2EB",
        what="Interface endpoints of the VPC",
        needed=lambda place: (
            INTERFACE_ENDPOINTS
            if place.foundation.network and place.foundation.network.interface_endpoints
            else 0
        ),
        others=lambda place: 0,
    ),
    Count(
        service="vpc",
        code="L-DF5E4CA3",
        what="Network interfaces",
        needed=_interfaces,
        others=_interfaces_of_others,
    ),
    Count(service="ebs", code="L-7A658B76", what="TiB of gp3 disks", needed=_disks, others=_disks_of_others),
    Count(
        service="eks",
        code="L-1194D53C",
        what="EKS clusters",
        needed=lambda place: len(place.clusters),
        others=_clusters_of_others,
    ),
    Count(
        service="autoscaling",
        code="L-CDE20ADC",
        what="Auto Scaling groups",
        needed=_scaling_groups,
        others=_scaling_groups_of_others,
    ),
)


def _counted(count: Count, place: Place) -> Iterator[Finding]:
    if needed := count.needed(place):
        yield judged(
            place,
            Need(
                where=place.name,
                service=count.service,
                code=count.code,
                what=count.what,
                needed=needed,
                others=partial(count.others, place),
            ),
        )


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


QUESTIONS = (
    Question("Quotas of vCPUs on demand", on_demand),
    Question("Quotas of vCPUs of spot requests", spot),
    *(Question(f"Quota of {count.what}", partial(_counted, count)) for count in COUNTS),
    Question("Quota of NAT gateways a zone", nat_gateways),
    Question("Quotas of node groups", node_groups),
    Question("Quota of IAM roles", roles),
)
