"""What the allocator is told, by the settings: what each cluster has, and what plans may do."""

import base64
from typing import Literal

from moka.allocation.configuration import (
    ArcherPlace,
    ClusterPlace,
    Configuration,
    HistoryPlace,
    MachineType,
    Night,
    dumps,
)
from moka.components.kubernetes.archer import SERVER
from moka.prices import Prices, prices
from moka.queues import calendar_file, queue_file
from stacks.offers import offer
from stacks.settings import Environment
from stacks.usage_sizes import cluster_sizes

COUNTED: tuple[Literal["cpu", "memory", "gpu"], ...] = ("cpu", "memory", "gpu")
"""Resources of a capacity."""


def configuration(settings: Environment, table: Prices) -> Configuration:
    """Of the service. Raises InvalidDocument where what a cluster has is not known."""
    region = settings.foundation_of(settings.home).region
    night = settings.allocation.night
    return Configuration(
        environment=settings.environment,
        archer=ArcherPlace(url=SERVER, region=region),
        history=HistoryPlace(bucket=settings.usage_bucket, region=region),
        night=Night(**night.model_dump()),
        queues=queue_file.dumps(settings.queues),
        bounds=settings.allocation.bounds,
        clusters={name: _cluster(settings, name, table) for name in settings.clusters},
    )


def file_content(settings: Environment) -> str:
    """The service's file, in base64. Raises InvalidDocument and InvalidPrices."""
    return base64.b64encode(dumps(configuration(settings, prices()))).decode()


def _cluster(settings: Environment, name: str, table: Prices) -> ClusterPlace:
    offered = offer(settings, name)
    [size] = cluster_sizes(settings, [name], table)
    amounts = size.resources.quantities()
    return ClusterPlace(
        machine=size.machine,
        types={kind: MachineType(**vars(machine)) for kind, machine in size.machines.items()},
        machines=offered.cluster.instances,
        capacity={resource: amounts[resource] for resource in COUNTED if resource in amounts},
        zones=offered.zones,
        architectures=offered.architectures,
        calendar=calendar_file.dumps(settings.queue_calendar(name)),
    )
