"""Node groups: machines, roles, zones, schedules, generations."""

import re
from collections.abc import Iterator
from zoneinfo import available_timezones

from moka.machines.instance_types import instance_type
from moka.mistakes import Mistake, listed
from stacks.settings.cluster import Cluster, NodeGroup
from stacks.settings.environment import Environment
from stacks.settings.node_group_plan import count, planned

GROUPS = 30
"""Managed node groups that EKS takes a cluster, by default."""

NODES = 450
"""Nodes that EKS takes a managed node group, by default."""

ON_DEMAND_ONLY = {
    "system": "the platform goes with it",
    "driver": "the job goes with it",
    "shuffle": "shuffle data goes with it",
}
"""Roles that do not bear losing a machine at two minutes' notice, and why."""

CRON = re.compile(r"^[\d*/,\-?LW#A-Za-z]+$")


def _each(settings: Environment) -> Iterator[tuple[str, Cluster, NodeGroup]]:
    for cluster_name, cluster in settings.clusters.items():
        for name, group in cluster.node_groups.items():
            yield f"clusters.{cluster_name}.node_groups.{name}", cluster, group


def _zones_of(settings: Environment, cluster: Cluster, group: NodeGroup) -> list[str]:
    """Zones of a group; empty where the foundation is not known."""
    place = settings.foundations.get(cluster.foundation)
    return group.zones or (place.zones if place else [])


def types(settings: Environment) -> Iterator[Mistake]:
    """Instance types of another architecture, and types that do not belong into one group."""
    for at, _, group in _each(settings):
        known = [instance_type(name) for name in group.instance_types]
        for each in known:
            if each.architecture != group.architecture:
                yield Mistake(
                    f"{at}.instance_types",
                    f"{each.name} is {each.architecture}, and the group {group.architecture}; "
                    "put it into a group of its own architecture",
                )
        if len({each.gpu for each in known}) > 1:
            yield Mistake(
                f"{at}.instance_types",
                f"{listed(each.name for each in known if each.gpu)} with GPUs and "
                f"{listed(each.name for each in known if not each.gpu)} without share no machine image; "
                "make two groups",
            )
        if len(set(group.instance_types)) < len(group.instance_types):
            yield Mistake(f"{at}.instance_types", "names a type twice; once is enough")


def roles(settings: Environment) -> Iterator[Mistake]:
    """Roles without nodes."""
    for name, cluster in settings.clusters.items():
        there = {group.role for group in cluster.node_groups.values()}
        for role in ("system", "driver", "executor", *(["shuffle"] if cluster.shuffle else [])):
            if role not in there:
                yield Mistake(
                    f"clusters.{name}.node_groups",
                    f"has no group with role {role}; its pods would wait for ever",
                )


def profiles(settings: Environment) -> Iterator[Mistake]:
    """Spot machines where losing one costs too much, and batch clusters whose size is not fixed."""
    for at, cluster, group in _each(settings):
        if group.spot and group.role in ON_DEMAND_ONLY:
            yield Mistake(
                f"{at}.spot",
                f"a {group.role} node may be taken back at any time, and {ON_DEMAND_ONLY[group.role]}; "
                "leave spot out",
            )
        elif group.spot and cluster.profile == "batch":
            yield Mistake(f"{at}.spot", "a batch cluster has on-demand or reserved machines; leave spot out")
        if cluster.profile == "batch" and group.minimum != group.maximum and not group.schedule:
            yield Mistake(
                f"{at}.maximum",
                f"is {group.maximum}, and minimum {group.minimum}; a batch cluster is fixed in size, so make "
                "them equal, or give a schedule",
            )


def zones(settings: Environment) -> Iterator[Mistake]:
    """Zones that the foundation lacks, and executors away from their shuffle workers."""
    for at, cluster, group in _each(settings):
        place = settings.foundations.get(cluster.foundation)
        missing = set(group.zones or []) - set(place.zones if place else group.zones or [])
        if missing and place:
            yield Mistake(
                f"{at}.zones",
                f"the foundation has no zone {listed(missing)}; it has {listed(place.zones)}",
            )
        count = len(_zones_of(settings, cluster, group))
        if group.per_zone and group.maximum < count:
            yield Mistake(
                f"{at}.maximum",
                f"is {group.maximum} for {count} zones with a group each; give each one at least",
            )
    for name, cluster in settings.clusters.items():
        workers = {
            zone
            for group in cluster.node_groups.values()
            if group.role == "shuffle"
            for zone in _zones_of(settings, cluster, group)
        }
        for group_name, group in cluster.node_groups.items():
            own = set(_zones_of(settings, cluster, group))
            if group.role == "executor" and len(workers) == 1 and own and own != workers:
                yield Mistake(
                    f"clusters.{name}.node_groups.{group_name}.zones",
                    f"are {listed(own)}, and shuffle workers are in {listed(workers)} alone; put executors "
                    "there too, or every shuffle crosses zones",
                )


def schedules(settings: Environment) -> Iterator[Mistake]:
    """Times that never come, and minimums above the maximum."""
    # Reads every zone's file: once, not for each group.
    time_zones = available_timezones()
    for at, _, group in _each(settings):
        for name, change in group.schedule.items():
            if not all(CRON.match(part) for part in change.cron.split()):
                yield Mistake(
                    f"{at}.schedule.{name}.cron",
                    f"is {change.cron!r}; it has five fields, as in '0 20 * * MON-FRI'",
                )
            if change.minimum > group.maximum:
                yield Mistake(
                    f"{at}.schedule.{name}.minimum",
                    f"is {change.minimum}, above the group's maximum of {group.maximum}; lower it",
                )
        if group.time_zone not in time_zones:
            yield Mistake(
                f"{at}.time_zone", f"is {group.time_zone!r}, not known; write one such as Europe/Berlin"
            )


def reservations(settings: Environment) -> Iterator[Mistake]:
    """Capacity reservations that machines of the group could not use."""
    for at, cluster, group in _each(settings):
        if not group.capacity_reservations:
            continue
        where = f"{at}.capacity_reservations"
        own = _zones_of(settings, cluster, group)
        if group.spot:
            yield Mistake(where, "spot machines use no reservation; leave spot out")
        if len(group.instance_types) > 1:
            yield Mistake(where, "a reservation is for one instance type; name only that one")
        if not group.per_zone and len(own) > 1:
            yield Mistake(where, "a reservation is for one zone; set per_zone: true, or zones to one")
        if own and (other := set(group.capacity_reservations) - set(own)):
            yield Mistake(
                where, f"the group has no machines in {listed(other)}; it has some in {listed(own)}"
            )


def generations(settings: Environment) -> Iterator[Mistake]:
    """Generations that are not older, and machine images of another version."""
    for at, cluster, group in _each(settings):
        for number, old in group.retiring.items():
            where = f"{at}.retiring.{number}"
            if not 1 <= number < group.generation:
                yield Mistake(
                    where,
                    f"the group's generation is {group.generation}; those that retire are from 1 on and "
                    "below it",
                )
            for name in old.instance_types:
                if instance_type(name).architecture != group.architecture:
                    yield Mistake(
                        f"{where}.instance_types",
                        f"{name} is {instance_type(name).architecture}, and the group {group.architecture}; "
                        "another architecture is another group",
                    )
        # One that retires may be of the version before.
        if group.ami_release and not group.ami_release.startswith(f"{cluster.version}."):
            yield Mistake(
                f"{at}.ami_release",
                f"is {group.ami_release!r}, for another Kubernetes version than the cluster's, "
                f"{cluster.version}",
            )


def limits(settings: Environment) -> Iterator[Mistake]:
    """More groups or nodes than EKS takes."""
    for name, cluster in settings.clusters.items():
        place = settings.foundations.get(cluster.foundation)
        zones = place.zones if place else []
        for group_name, group in cluster.node_groups.items():
            if max((part.maximum for part in planned(group_name, group, zones)), default=0) > NODES:
                yield Mistake(
                    f"clusters.{name}.node_groups.{group_name}.maximum",
                    f"is {group.maximum}, and EKS takes {NODES} nodes a group; make several groups, "
                    "or one a zone",
                )
        if (total := count(cluster.node_groups, zones)) > GROUPS:
            yield Mistake(
                f"clusters.{name}.node_groups",
                f"make {total} managed node groups with zones and generations, and EKS takes {GROUPS} a "
                "cluster; join some",
            )
