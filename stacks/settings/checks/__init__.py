"""Checks across a settings file: what its values must be to each other."""

from collections.abc import Callable, Iterator

from moka.mistakes import Mistake
from stacks.settings.checks import charts, data, names, network, node_groups, places, queues, shuffle, spark
from stacks.settings.environment import Environment

CHECKS: tuple[Callable[[Environment], Iterator[Mistake]], ...] = (
    names.references,
    names.duplicates,
    names.access_entries,
    names.reserved,
    names.waves,
    places.accounts,
    places.zones,
    places.long_names,
    network.ranges,
    network.addresses,
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
    shuffle.tenants,
    spark.operators,
    spark.operator_sizes,
    spark.egress,
    spark.accounts,
    spark.host_paths,
    queues.trees,
    queues.tier_policies,
    queues.capacities,
    charts.scale_down_delay,
    data.grants,
    data.registry,
)
"""In the order of their messages."""


def mistakes(settings: Environment) -> Iterator[Mistake]:
    """Values of the settings that do not fit each other."""
    for check in CHECKS:
        yield from check(settings)
