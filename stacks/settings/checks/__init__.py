"""Checks across a settings file: what its values must be to each other."""

from collections.abc import Callable, Iterator

from moka.mistakes import Mistake
from stacks.settings.checks import (
    charts,
    data,
    machines,
    names,
    network,
    node_groups,
    partitions,
    places,
    queues,
    shuffle,
    spark,
    tags,
)
from stacks.settings.environment import Environment

CHECKS: tuple[Callable[[Environment], Iterator[Mistake]], ...] = (
    names.references,
    names.duplicates,
    names.access_entries,
    names.access_namespaces,
    names.reserved,
    names.waves,
    tags.tags,
    places.accounts,
    places.zones,
    places.buckets,
    places.roles,
    places.hosts,
    partitions.foundations,
    partitions.arns,
    partitions.principals,
    partitions.secrets,
    partitions.registries,
    network.ranges,
    network.associations,
    network.public_access,
    network.addresses,
    network.transit_gateways,
    network.api_access,
    network.deployer,
    machines.images,
    machines.offers,
    machines.pods,
    machines.disks,
    node_groups.instance_types,
    node_groups.roles,
    node_groups.profiles,
    node_groups.zones,
    node_groups.schedules,
    node_groups.reservations,
    node_groups.generations,
    node_groups.quotas,
    shuffle.unused_nodes,
    shuffle.storage,
    shuffle.nodes,
    shuffle.sizes,
    shuffle.master_sizes,
    shuffle.tenants,
    spark.operators,
    spark.operator_sizes,
    spark.egress,
    spark.accounts,
    spark.host_paths,
    queues.trees,
    queues.tier_policies,
    queues.capacities,
    charts.releases,
    charts.daemon_sets,
    charts.docker_hub,
    charts.scale_down_delay,
    charts.image_values,
    charts.numbers,
    data.grants,
    data.uses,
    data.registry,
    data.own_images,
)
"""In the order of their messages."""


def mistakes(settings: Environment) -> Iterator[Mistake]:
    """Values of the settings that do not fit each other."""
    for check in CHECKS:
        yield from check(settings)
