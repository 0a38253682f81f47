"""Node groups: machines, roles, zones, schedules, generations."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import get_args
from zoneinfo import available_timezones

from cronsim import CronSim

from moka.machines.instance_types import InstanceType, instance_type
from moka.machines.machine_capacity import JobRole
from moka.machines.profiles import PROFILES
from moka.mistakes import Mistake, comma_list
from stacks.settings import node_scripts
from stacks.settings.checks.names import repeated
from stacks.settings.cluster import Cluster, Generation, NodeGroup
from stacks.settings.environment import Environment
from stacks.settings.node_group_plan import node_group_plans

MAX_GROUPS_PER_CLUSTER = 30
"""Managed node groups of a cluster: EKS's default quota (AWS General Reference, Amazon EKS quotas)."""

MAX_NODES_PER_GROUP = 450
"""Nodes of a managed node group: EKS's default quota, from the same page."""

ON_DEMAND_ONLY = {
    "system": "the platform's pods would go with it",
    "driver": "its jobs would fail",
    "shuffle": "its shuffle data would be lost",
}
"""Roles that do not bear losing a machine at two minutes' notice, and why."""

JOB_ROLES = get_args(JobRole)

NO_TIME_ZONES = frozenset({"Factory", "localtime"})
"""Names of Python's list that stand for no place."""


def _groups(settings: Environment) -> Iterator[tuple[str, Cluster, NodeGroup, tuple[str, ...]]]:
    """Every node group: path in the file, cluster, group, and zones of its machines."""
    for cluster_name, cluster in settings.clusters.items():
        foundation_zones = settings.zones_of(cluster_name)
        for name, group in cluster.node_groups.items():
            at = f"clusters.{cluster_name}.node_groups.{name}"
            yield at, cluster, group, group.effective_zones(foundation_zones)


def instance_types(settings: Environment) -> Iterator[Mistake]:
    """Instance types of another architecture, and types that do not belong into one group."""
    for at, _, group, _ in _groups(settings):
        types = [instance_type(name) for name in group.instance_types]
        for machine in types:
            if machine.architecture != group.architecture:
                yield Mistake(
                    f"{at}.instance_types",
                    f"{machine.name} is {machine.architecture}, but the group is {group.architecture}; move "
                    f"it to a group for {machine.architecture}",
                )
        yield from _one_image(f"{at}.instance_types", types)
        for number, generation in group.retiring.items():
            retiring = [instance_type(name) for name in generation.instance_types]
            yield from _one_image(f"{at}.retiring.{number}.instance_types", retiring)
        yield from repeated(f"{at}.instance_types", group.instance_types)


def _one_image(at: str, types: Sequence[InstanceType]) -> Iterator[Mistake]:
    """Types with GPUs beside others."""
    if len({machine.gpu for machine in types}) > 1:
        yield Mistake(
            at,
            f"{comma_list(machine.name for machine in types if machine.gpu)} with GPUs and "
            f"{comma_list(machine.name for machine in types if not machine.gpu)} without need different "
            "machine images; split them into two groups",
        )


def roles(settings: Environment) -> Iterator[Mistake]:
    """Roles without nodes."""
    for name, cluster in settings.clusters.items():
        present = {group.role for group in cluster.node_groups.values()}
        for role in ("system", "driver", "executor", *(["shuffle"] if cluster.shuffle else [])):
            if role not in present:
                yield Mistake(
                    f"clusters.{name}.node_groups",
                    f"has no group with role {role}, so its pods would wait for ever; add one",
                )


def own_nodes(settings: Environment) -> Iterator[Mistake]:
    """Nodes for the jobs of a namespace that are none of jobs, or only half of what these need."""
    for at, _, group, _ in _groups(settings):
        if group.job_namespace is None:
            continue
        if group.role not in JOB_ROLES:
            yield Mistake(
                f"{at}.job_namespace",
                f"is for nodes on which jobs run, {' or '.join(JOB_ROLES)}, but role is {group.role}; remove "
                "it",
            )
        if group.job_namespace not in settings.job_namespaces:
            yield Mistake(
                f"{at}.job_namespace",
                f"no job namespace is named {group.job_namespace!r}; the job namespaces are "
                f"{comma_list(settings.job_namespaces)}",
            )
    for name, cluster in settings.clusters.items():
        owners = cluster.own_nodes
        sharing = [namespace for namespace in settings.job_namespaces if namespace not in owners]
        needs = {owner: owner for owner in owners} | (
            {None: comma_list(sharing)} if owners and sharing else {}
        )
        for owner, jobs in needs.items():
            groups = [group for group in cluster.groups_of(*JOB_ROLES) if group.job_namespace == owner]
            for role in JOB_ROLES:
                if not any(group.role == role for group in groups):
                    yield Mistake(
                        f"clusters.{name}.node_groups",
                        f"has no group with role {role} for jobs in {jobs}, which would wait for ever; add "
                        f"one, {f'with job_namespace {owner}' if owner else 'without job_namespace'}",
                    )


def profiles(settings: Environment) -> Iterator[Mistake]:
    """Spot machines where losing one costs too much, and batch clusters whose size is not fixed."""
    for at, cluster, group, _ in _groups(settings):
        if group.spot and group.role in ON_DEMAND_ONLY:
            yield Mistake(
                f"{at}.spot",
                f"a {group.role} node on spot can be reclaimed at any time, and "
                f"{ON_DEMAND_ONLY[group.role]}; remove spot",
            )
        elif group.spot and not PROFILES[cluster.profile].spot:
            yield Mistake(
                f"{at}.spot",
                f"a {cluster.profile} cluster has only on-demand or reserved machines; remove spot",
            )
        if PROFILES[cluster.profile].fixed and group.minimum != group.maximum and not group.schedule:
            yield Mistake(
                f"{at}.maximum",
                f"is {group.maximum}, but minimum is {group.minimum}; a {cluster.profile} cluster has a "
                "fixed size, so make them equal or add a schedule",
            )


def zones(settings: Environment) -> Iterator[Mistake]:
    """Zones that the foundation lacks, and executors away from their shuffle workers."""
    for cluster_name, cluster in settings.clusters.items():
        foundation_zones = settings.zones_of(cluster_name)
        shuffle_zones = set(settings.role_zones(cluster_name, "shuffle"))
        for name, group in cluster.node_groups.items():
            at = f"clusters.{cluster_name}.node_groups.{name}"
            group_zones = group.effective_zones(foundation_zones)
            if foundation_zones and (unknown := set(group_zones) - set(foundation_zones)):
                yield Mistake(
                    f"{at}.zones",
                    f"foundation {cluster.foundation!r} has no zone {comma_list(unknown)}; it has "
                    f"{comma_list(foundation_zones)}",
                )
            if group.zonal and group.maximum < len(group_zones):
                yield Mistake(
                    f"{at}.maximum",
                    f"is {group.maximum} for a group in each of {len(group_zones)} zones; raise it to at "
                    f"least {len(group_zones)}, or name fewer zones",
                )
            away = group.role == "executor" and len(shuffle_zones) == 1 and set(group_zones) - shuffle_zones
            # Of a group in each zone jobs with Celeborn take the one of the workers.
            chosen = cluster.executor_zone == "one" and group.zonal and shuffle_zones <= set(group_zones)
            if away and not chosen:
                yield Mistake(
                    f"{at}.zones",
                    f"are {comma_list(group_zones)}, but shuffle workers are only in "
                    f"{comma_list(shuffle_zones)}; put executors only there, or set per_zone: true with "
                    "executor_zone: one, or every shuffle crosses zones",
                )


def schedules(settings: Environment) -> Iterator[Mistake]:
    """Two changes at one time, minimums above the maximum, and time zones that are none."""
    for at, _, group, zones in _groups(settings):
        names: dict[Hashable, str] = {}
        for name, change in group.schedule.items():
            first = names.setdefault(_times(change.cron), name)
            if first != name:
                yield Mistake(
                    f"{at}.schedule.{name}.cron",
                    f"is {change.cron!r}, the same times as of {first!r}, and Auto Scaling takes one change "
                    "at a time; remove one of the two",
                )
            if change.minimum > group.maximum:
                yield Mistake(
                    f"{at}.schedule.{name}.minimum",
                    f"is {change.minimum}, above the group's maximum of {group.maximum}; lower it",
                )
        yield from _scheduled_maximums(f"{at}.schedule", group, len(zones) if group.zonal else 1)
        if group.time_zone not in _time_zones():
            yield Mistake(
                f"{at}.time_zone",
                f"is {group.time_zone!r}, which is no known time zone; write one such as Europe/Berlin",
            )


@cache
def _time_zones() -> set[str]:
    """Names of time zones of places; once, as it reads the file of each."""
    return available_timezones() - NO_TIME_ZONES


def _scheduled_maximums(at: str, group: NodeGroup, parts: int) -> Iterator[Mistake]:
    """Maximums that would end what must stay, are out of bounds, or are never taken back.

    parts: managed node groups that the group is.
    """
    stated = {name: change for name, change in group.schedule.items() if change.maximum is not None}
    for name, change in group.schedule.items():
        maximum_at = f"{at}.{name}.maximum"
        if change.maximum is None:
            if stated:
                yield Mistake(
                    maximum_at,
                    f"is not set, but that of {comma_list(stated)} is, and would hold from there on; set it",
                )
        elif group.role in ON_DEMAND_ONLY:
            yield Mistake(
                maximum_at,
                f"would have Auto Scaling end {group.role} nodes whatever runs there, and "
                f"{ON_DEMAND_ONLY[group.role]}; remove it, `moka shrink` empties machines first",
            )
        elif not max(change.minimum, parts) <= change.maximum <= group.maximum:
            yield Mistake(
                maximum_at,
                f"is {change.maximum}, and has to be from {max(change.minimum, parts)} (its minimum, and one "
                f"for each managed group) to {group.maximum} (the group's maximum); correct it",
            )
        elif group.minimum == group.maximum:
            yield Mistake(
                maximum_at,
                f"changes a group of a fixed size of {group.maximum}, to which `up` would bring it back; "
                "lower the group's minimum",
            )


def _times(cron: str) -> Hashable:
    """What a cron expression comes to, however it is written."""
    times = CronSim(cron, datetime.now(UTC))
    fields: tuple[Iterable[object], ...]
    fields = (times.minutes, times.hours, times.days, times.months, times.weekdays)
    return (times.day_and, *(frozenset(field) for field in fields))


def reservations(settings: Environment) -> Iterator[Mistake]:
    """Capacity reservations that machines of the group could not use."""
    zones: dict[str, str] = {}
    machines: dict[str, str] = {}
    for group_at, _, group, group_zones in _groups(settings):
        if not group.capacity_reservations:
            continue
        at = f"{group_at}.capacity_reservations"
        for zone, reservation in group.capacity_reservations.items():
            if zones.setdefault(reservation, zone) != zone:
                yield Mistake(
                    f"{at}.{zone}",
                    f"is {reservation}, as in {zones[reservation]}, but a reservation is in one zone; "
                    "correct one of the two",
                )
            machine = machines.setdefault(reservation, group.instance_types[0])
            if machine not in group.instance_types:
                yield Mistake(
                    f"{at}.{zone}",
                    f"is {reservation}, as of a group of {machine}, but a reservation is of one instance "
                    f"type and these are {comma_list(group.instance_types)}; correct one of the two",
                )
        if group.spot:
            yield Mistake(at, "spot machines cannot use a reservation; remove spot")
        if len(group.instance_types) > 1:
            yield Mistake(at, "a reservation is for one instance type; list only that one in instance_types")
        if not group.zonal and len(group_zones) > 1:
            yield Mistake(at, "a reservation is for one zone; set per_zone: true, or zones to that one")
        if group_zones and (elsewhere := set(group.capacity_reservations) - set(group_zones)):
            yield Mistake(
                at,
                f"the group has no machines in {comma_list(elsewhere)}; its zones are "
                f"{comma_list(group_zones)}",
            )


def generations(settings: Environment) -> Iterator[Mistake]:
    """Generations that are not older, and machine images of another version."""
    for at, cluster, group, _ in _groups(settings):
        for number, generation in group.retiring.items():
            generation_at = f"{at}.retiring.{number}"
            if not 1 <= number < group.generation:
                yield Mistake(
                    generation_at,
                    f"is no generation before the group's own, {group.generation}, counted from 1; correct "
                    "the number, or raise generation",
                )
            for name in generation.instance_types:
                architecture = instance_type(name).architecture
                if architecture != group.architecture:
                    yield Mistake(
                        f"{generation_at}.instance_types",
                        f"{name} is {architecture}, but the group is {group.architecture}; another "
                        "architecture needs another group",
                    )
            # One that retires may be of the version before.
            if generation.ami_release and _minor(generation.ami_release) > _minor(cluster.version):
                yield Mistake(
                    f"{generation_at}.ami_release",
                    f"is {generation.ami_release!r}, but the cluster's Kubernetes version is "
                    f"{cluster.version}, and no node may be newer; use the release that it has",
                )
        if group.ami_release and not group.ami_release.startswith(f"{cluster.version}."):
            yield Mistake(
                f"{at}.ami_release",
                f"is {group.ami_release!r}, but the cluster's Kubernetes version is {cluster.version}; use a "
                "release for that version",
            )


def images(settings: Environment) -> Iterator[Mistake]:
    """Machine images of one's own beside a release of EKS's."""
    for at, _, group, _ in _groups(settings):
        generations: dict[str, NodeGroup | Generation] = {at: group}
        generations |= {f"{at}.retiring.{number}": old for number, old in group.retiring.items()}
        for place, generation in generations.items():
            if generation.ami and generation.ami_release:
                yield Mistake(
                    f"{place}.ami_release",
                    f"is a release of EKS's AMI, but the group has {generation.ami}; keep one of the two",
                )


def scripts(settings: Environment) -> Iterator[Mistake]:
    """Scripts that are not there, that nothing would run, or that do not fit."""
    for at, _, group, _ in _groups(settings):
        for index, sentence in node_scripts.mistakes(group.user_data):
            yield Mistake(f"{at}.user_data.{index}", sentence)


def _minor(version: str) -> tuple[int, ...]:
    """Major and minor of a version that may have more."""
    return tuple(map(int, version.split(".")[:2]))


def quotas(settings: Environment) -> Iterator[Mistake]:
    """More groups or nodes than EKS allows."""
    for cluster_name, cluster in settings.clusters.items():
        foundation_zones = settings.zones_of(cluster_name)
        total = 0
        for name, group in cluster.node_groups.items():
            plans = node_group_plans(name, group, foundation_zones)
            total += len(plans)
            if max((plan.maximum for plan in plans), default=0) > MAX_NODES_PER_GROUP:
                yield Mistake(
                    f"clusters.{cluster_name}.node_groups.{name}.maximum",
                    f"is {group.maximum}, but EKS allows {MAX_NODES_PER_GROUP} nodes in a group; make "
                    "several groups, or set per_zone: true",
                )
        if total > MAX_GROUPS_PER_CLUSTER:
            yield Mistake(
                f"clusters.{cluster_name}.node_groups",
                f"make {total} managed node groups with their zones and generations, but EKS allows "
                f"{MAX_GROUPS_PER_CLUSTER} in a cluster; merge some",
            )
