"""Quotas: what the environment can come to need, against what the account allows and others use."""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from functools import partial
from operator import itemgetter
from typing import Any

from doctor.account import NoAnswer, Place
from doctor.finding import Finding, not_checked, ok, problem, warning
from doctor.machines import MachineGroup, machine_groups, vcpu_class, vcpus
from doctor.question import Question
from moka.network_address_usage import ADDRESS, INTERFACE, PREFIX
from moka.sizes.celeborn import MASTER_GIB
from moka.sizes.collectors import SCRAPER_DISK_GIB, scrapers
from stacks.settings.network_use import interface_endpoints, vpc_contents

WARNING_SHARE = 0.8
"""Share of a quota in use from which on there is a warning."""

ON_DEMAND_QUOTAS = {
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

SPOT_QUOTAS = {
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

P5_SPOT_QUOTA = "L-C4BD4855"
"""Spot requests of P5 are counted apart from those of older P."""

CLUSTER_TAG = "eks:cluster-name"
"""Tag that EKS gives the instances of its node groups."""

CLUSTER_ROLES = 10
"""IAM roles of a cluster, its nodes and its add-ons, besides one for each job namespace."""


Amount = Callable[[Place], float]


@dataclass(frozen=True)
class Quota:
    """A quota for an account and region: how much of it the environment needs, and what others use.

    what: of which, in the plural.
    needed: in all, with what exists already.
    others: what others in the account have.
    """

    service: str
    code: str
    what: str
    needed: Amount
    others: Amount


def limit(place: Place, service: str, code: str) -> float:
    """What the account is allowed: its own quota, or AWS's default. Raises NoAnswer."""
    names = {"ServiceCode": service, "QuotaCode": code}
    answer = place.find("service-quotas", "get_service_quota", "NoSuchResourceException", **names)
    if answer is None:
        answer = place.ask("service-quotas", "get_aws_default_service_quota", **names)
    return float(answer["Quota"]["Value"])


def judge(
    where: str,
    place: Place,
    service: str,
    code: str,
    subject: str,
    need: float,
    foreign_use: Callable[[], float],
) -> Finding:
    """What is needed of a quota, against what is allowed.

    where: of the finding. foreign_use: what others in the account have; asked only where the quota is known.
    """
    try:
        allowed = limit(place, service, code)
    except NoAnswer as error:
        return not_checked(
            where, f"{subject}: {_number(need)} needed; what is allowed is not known: {error.reason}."
        )
    known = True
    try:
        use = foreign_use()
        in_use = f", {_number(use)} in use by others" if use else ""
    except NoAnswer as error:
        known, use, in_use = False, 0.0, f" (what others use is not known: {error.reason})"
    total = math.ceil(need + use)
    sentence = f"{subject}: {_number(need)} needed{in_use}, {_number(allowed)} allowed"
    remedy = _increase(place.region, service, code, total)
    if total > allowed:
        return problem(where, f"{sentence}.", remedy)
    if total > WARNING_SHARE * allowed:
        return warning(where, f"{sentence}: not much is left.", remedy)
    return ok(where, f"{sentence}.") if known else not_checked(where, f"{sentence}.")


def _increase(region: str, service: str, code: str, value: int) -> str:
    return (
        f"`aws service-quotas request-service-quota-increase --region {region} --service-code {service} "
        f"--quota-code {code} --desired-value {value}`."
    )


def judge_quota(quota: Quota, place: Place) -> Iterator[Finding]:
    """What is needed of one of QUOTAS, if anything, against what is allowed."""
    if need := quota.needed(place):
        foreign_use = partial(quota.others, place)
        yield judge(place.name, place, quota.service, quota.code, quota.what, need, foreign_use)


def on_demand(place: Place) -> Iterator[Finding]:
    """vCPUs on demand, by class of instance types."""
    yield from _vcpus(place, spot=False)


def spot(place: Place) -> Iterator[Finding]:
    """vCPUs of spot requests, by class of instance types."""
    yield from _vcpus(place, spot=True)


def _vcpus(place: Place, spot: bool) -> Iterator[Finding]:
    groups = [group for group in machine_groups(place) if group.settings.spot == spot]
    sizes = vcpus(place, {type_ for group in groups for type_ in group.types})
    needs: Counter[tuple[str, str]] = Counter()
    for group in groups:
        largest: dict[tuple[str, str], int] = {}
        for type_ in group.types:
            quota = _vcpu_quota(type_, spot)
            largest[quota] = max(largest.get(quota, 0), sizes[type_])
        for quota, size in largest.items():
            needs[quota] += group.settings.maximum * size
    for (class_, code), number in sorted(needs.items()):
        subject = f"vCPUs of {class_} instances, {'spot' if spot else 'on demand'}"
        foreign_use = partial(_foreign_vcpus, place, spot, code)
        yield judge(place.name, place, "ec2", code, subject, number, foreign_use)


def _vcpu_quota(type_name: str, spot: bool) -> tuple[str, str]:
    """Class of an instance type, and the quota that counts its vCPUs."""
    if spot and type_name.startswith("p5"):
        return "P5", P5_SPOT_QUOTA
    class_ = vcpu_class(type_name)
    return class_, (SPOT_QUOTAS if spot else ON_DEMAND_QUOTAS).get(class_, ON_DEMAND_QUOTAS[class_])


def _foreign_vcpus(place: Place, spot: bool, code: str) -> float:
    types: Counter[str] = Counter()
    for instance in _instances(place):
        type_, is_spot = instance["InstanceType"], instance.get("InstanceLifecycle") == "spot"
        if is_spot == spot and not _in_own_cluster(place, instance) and _vcpu_quota(type_, spot)[1] == code:
            types[type_] += 1
    sizes = vcpus(place, set(types))
    return float(sum(sizes[type_] * number for type_, number in types.items()))


def _instances(place: Place) -> Iterator[dict[str, Any]]:
    running = [{"Name": "instance-state-name", "Values": ["pending", "running"]}]
    for reservation in place.items("ec2", "describe_instances", "Reservations", Filters=running):
        yield from reservation["Instances"]


def _eks_names(place: Place) -> set[str]:
    return {place.cluster_name(name) for name in place.clusters}


def _in_own_cluster(place: Place, item: dict[str, Any]) -> bool:
    """Whether an instance or an Auto Scaling group belongs to a node group of this environment."""
    clusters = _eks_names(place)
    return any(tag["Key"] == CLUSTER_TAG and tag["Value"] in clusters for tag in item.get("Tags") or [])


def nat_gateways(place: Place) -> Iterator[Finding]:
    """NAT gateways of the fullest zone."""
    network = place.foundation.network
    if network is None:
        return
    zones = network.zones if network.nat == "zonal" else network.zones[:1]

    def foreign_gateways() -> float:
        subnets = place.items("ec2", "describe_subnets", "Subnets")
        subnet_zones = {subnet["SubnetId"]: subnet["AvailabilityZone"] for subnet in subnets}
        gateways = Counter(
            subnet_zones.get(gateway["SubnetId"])
            for gateway in place.items("ec2", "describe_nat_gateways", "NatGateways")
            if gateway["State"] in ("pending", "available") and not place.owns(gateway.get("Tags"))
        )
        return float(max(gateways[zone] for zone in zones))

    yield judge(place.name, place, "vpc", "L-FE5A380F", "NAT gateways a zone", 1, foreign_gateways)


def node_groups(place: Place) -> Iterator[Finding]:
    """Node groups of the cluster that has most, and machines of the largest node group."""
    counts: Counter[str] = Counter()
    sizes: Counter[tuple[str, str]] = Counter()
    for group in machine_groups(place):
        counts[group.cluster] += _eks_groups(group)
        sizes[group.cluster, group.name] = group.per_zone if group.settings.zonal else group.settings.maximum
    if counts:
        [(cluster, number)] = counts.most_common(1)
        where = f"{place.name}/{cluster}"
        yield judge(where, place, "eks", "L-6D54EA21", "Managed node groups", number, lambda: 0)
        [((cluster, name), number)] = sizes.most_common(1)
        subject = f"Machines of node group {name}"
        yield judge(f"{place.name}/{cluster}", place, "eks", "L-BD136A63", subject, number, lambda: 0)


def _eks_groups(group: MachineGroup) -> int:
    """EKS node groups that a node group of the settings is."""
    return len(group.zones) if group.settings.zonal else 1


def roles(place: Place) -> Iterator[Finding]:
    """IAM roles; IAM itself says how many there are and may be."""
    need = len(place.clusters) * (CLUSTER_ROLES + len(place.settings.job_namespaces))
    summary = place.ask("iam", "get_account_summary")["SummaryMap"]
    use, allowed = int(summary["Roles"]), int(summary["RolesQuota"])
    sentence = f"IAM roles: about {need:,} needed, {use:,} in use, {allowed:,} allowed."
    if need + use > allowed:
        yield warning(place.name, sentence, _increase("us-east-1", "iam", "L-FE177D64", need + use))
    else:
        yield ok(place.name, sentence)


def _new_vpcs(place: Place) -> float:
    """One where the foundation makes its VPC."""
    return 1.0 if place.foundation.network else 0.0


def _elastic_ips(place: Place) -> float:
    network = place.foundation.network
    return float(len(network.zones) if network and network.nat == "zonal" else bool(network))


def _foreign(operation: str, key: str, **parameters: Any) -> Amount:
    """How many of the items that EC2 lists do not have this environment's tag."""

    def count(place: Place) -> float:
        items = place.items("ec2", operation, key, **parameters)
        return float(sum(not place.owns(item.get("Tags")) for item in items))

    return count


def _foreign_addresses(place: Place) -> float:
    addresses = place.ask("ec2", "describe_addresses")["Addresses"]
    return float(sum(not place.owns(address.get("Tags")) for address in addresses))


def _interfaces(place: Place) -> float:
    """Interfaces of all machines: one for each itself, and those for its pods."""
    contents = vpc_contents(place.settings, place.name)
    return float(contents.nodes + contents.interfaces)


def _network_address_usage(place: Place) -> float:
    """Units of the VPC."""
    return float(vpc_contents(place.settings, place.name).units)


def _foreign_usage(place: Place) -> float:
    """Units of an existing VPC, besides those of machines of this environment. Raises NoAnswer.

    CloudWatch has them once a day where somebody asked for it:
    https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cloudwatch.html
    """
    existing = place.foundation.existing_network
    if existing is None:
        return 0.0
    midnight = datetime.combine(place.today, time(), UTC)
    points = place.ask(
        "cloudwatch",
        "get_metric_statistics",
        Namespace="AWS/EC2",
        MetricName="NetworkAddressUsage",
        Dimensions=[{"Name": "Per-VPC Metrics", "Value": existing.vpc}],
        StartTime=midnight - timedelta(days=2),
        EndTime=midnight + timedelta(days=1),
        Period=3600,
        Statistics=["Maximum"],
    )["Datapoints"]
    if not points:
        raise NoAnswer(
            "",
            f"{existing.vpc} sends no metric NetworkAddressUsage, which it does a day after `aws ec2 "
            f"modify-vpc-attribute --region {place.region} --vpc-id {existing.vpc} "
            "--enable-network-address-usage-metrics`",
        )
    newest = max(points, key=itemgetter("Timestamp"))
    own = sum(
        _units(interface)
        for instance in _instances(place)
        if _in_own_cluster(place, instance)
        for interface in instance.get("NetworkInterfaces") or []
        if interface.get("VpcId") == existing.vpc
    )
    # Machines may have come since.
    return max(0.0, float(newest["Maximum"]) - own)


def _units(interface: dict[str, Any]) -> int:
    """Units of an interface of a machine: the first one counts by its addresses only."""
    addresses = len(interface.get("PrivateIpAddresses") or [])
    prefixes = len(interface.get("Ipv4Prefixes") or [])
    further = INTERFACE if interface["Attachment"]["DeviceIndex"] else 0
    return further + addresses * ADDRESS + prefixes * PREFIX


def _foreign_interfaces(place: Place) -> float:
    existing = place.foundation.existing_network
    own = place.own_vpcs() | ({existing.vpc} if existing else set())
    interfaces = place.items("ec2", "describe_network_interfaces", "NetworkInterfaces")
    return float(sum(interface.get("VpcId") not in own for interface in interfaces))


def _disks(place: Place) -> float:
    """TiB of root disks, and of volumes of pods."""
    roots = sum(group.settings.maximum * group.settings.disk.gib for group in machine_groups(place))
    return (roots + sum(_pod_volumes(place))) / 1024


def _pod_volumes(place: Place) -> Iterator[int]:
    """GiB of volumes that pods of the platform have."""
    settings = place.settings
    for cluster in place.clusters.values():
        if cluster.shuffle is not None:
            yield cluster.shuffle.masters * MASTER_GIB
            if volumes := cluster.shuffle.storage.volumes:
                yield cluster.shuffle.workers * volumes.count * volumes.gib
        nodes = sum(group.maximum for group in cluster.node_groups.values())
        yield (settings.metrics.shards or scrapers(nodes)) * SCRAPER_DISK_GIB
        if settings.metrics.destination is None:
            yield settings.metrics.store.disk_gib
    if place.home and settings.history is not None:
        yield settings.history.replicas * settings.history.store_gib


def _foreign_disks(place: Place) -> float:
    own = {instance["InstanceId"] for instance in _instances(place) if _in_own_cluster(place, instance)}
    gp3 = [{"Name": "volume-type", "Values": ["gp3"]}]
    gib: int = sum(
        volume["Size"]
        for volume in place.items("ec2", "describe_volumes", "Volumes", Filters=gp3)
        if not any(attachment["InstanceId"] in own for attachment in volume.get("Attachments") or [])
    )
    return gib / 1024


def _foreign_clusters(place: Place) -> float:
    own = _eks_names(place)
    return float(sum(name not in own for name in place.items("eks", "list_clusters", "clusters")))


def _scaling_groups(place: Place) -> float:
    return float(sum(map(_eks_groups, machine_groups(place))))


def _foreign_scaling_groups(place: Place) -> float:
    groups = place.items("autoscaling", "describe_auto_scaling_groups", "AutoScalingGroups")
    return float(sum(not _in_own_cluster(place, group) for group in groups))


def _interface_endpoints(place: Place) -> float:
    return float(len(interface_endpoints(place.settings, place.name)))


GATEWAY_ENDPOINTS = [{"Name": "vpc-endpoint-type", "Values": ["Gateway"]}]

QUOTAS = (
    Quota("vpc", "L-F678F1CE", "VPCs", _new_vpcs, _foreign("describe_vpcs", "Vpcs")),
    Quota(
        "vpc",
        "L-A4707A72",
        "Internet gateways",
        _new_vpcs,
        _foreign("describe_internet_gateways", "InternetGateways"),
    ),
    Quota("ec2", "L-0263D0A3", "Elastic IP addresses", _elastic_ips, _foreign_addresses),
    Quota(
        "vpc",
        "L-1B52E74A",
        "Gateway endpoints",
        _new_vpcs,
        _foreign("describe_vpc_endpoints", "VpcEndpoints", Filters=GATEWAY_ENDPOINTS),
    ),
    Quota("vpc", "L-29B6F2EB", "Interface endpoints of the VPC", _interface_endpoints, lambda place: 0),
    Quota(
        "vpc",
        "L-BB24F6E5",
        "Units of Network Address Usage of the VPC",
        _network_address_usage,
        _foreign_usage,
    ),
    Quota("vpc", "L-DF5E4CA3", "Network interfaces", _interfaces, _foreign_interfaces),
    Quota("ebs", "L-7A658B76", "TiB of gp3 disks", _disks, _foreign_disks),
    Quota("eks", "L-1194D53C", "EKS clusters", lambda place: len(place.clusters), _foreign_clusters),
    Quota("autoscaling", "L-CDE20ADC", "Auto Scaling groups", _scaling_groups, _foreign_scaling_groups),
)

QUESTIONS = (
    Question("Quotas of vCPUs on demand", on_demand),
    Question("Quotas of vCPUs of spot requests", spot),
    *(Question(f"Quota of {quota.what}", partial(judge_quota, quota)) for quota in QUOTAS),
    Question("Quota of NAT gateways a zone", nat_gateways),
    Question("Quotas of node groups", node_groups),
    Question("Quota of IAM roles", roles),
)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"
