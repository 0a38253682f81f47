"""What the allocator is told of its environment, in a file: the platform's program writes it, the service
reads it."""

import gzip
import zlib
from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from moka.allocation.cluster import Cluster, NoCapacity
from moka.allocation.cluster_settings import ClusterSettings
from moka.allocation.offer import Offer
from moka.allocation.plan_bounds import PlanBounds
from moka.mistakes import InvalidDocument
from moka.queues import calendar_file, queue_file
from moka.queues.resources import Resources
from moka.usage.report.sizes import ClusterSize, Machine, queue_sizes

KEY = "allocator.json.gz"
"""Of the ConfigMap, in its `binaryData`."""


class Part(BaseModel):
    """A part of the configuration; keys that this version does not know are those of a later one."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="ignore", frozen=True)


class ArcherPlace(Part):
    """Where Archer is. region: of the STS by which it knows who asks."""

    url: str
    region: str


class HistoryPlace(Part):
    """Where what was used is kept."""

    bucket: str
    region: str


class Night(Part):
    """When a plan is made, and how.

    cron: in UTC. days: of history. seed: with the same, the same plan is found. seconds: of search, at most.
    """

    cron: str
    engine: Literal["cp-sat", "percentile"]
    days: int
    seed: int
    seconds: float


class MachineType(Part):
    """What jobs can have of a machine (thousandths of a core, MiB, GPUs), and its price an hour."""

    cpu: int
    memory: int
    gpu: int = 0
    usd: float | None = None


class ClusterPlace(Part):
    """A cluster.

    machine: type in which instances are counted, of `types`. machines: of it that jobs can have.
    capacity: what jobs can have of all of it, as Kubernetes quantities; GPUs as a number.
    calendar: file of `moka.queues.calendar_file`.
    """

    machine: str
    types: Mapping[str, MachineType]
    machines: int
    capacity: Mapping[str, str]
    zones: tuple[str, ...] = ()
    architectures: tuple[str, ...] = ()
    calendar: str

    @model_validator(mode="after")
    def _type_of_machine(self) -> Self:
        if self.machine not in self.types:
            raise ValueError(f"machine is {self.machine!r}, which is none of its types")
        return self


class Configuration(Part):
    """All of it.

    queues: file of `moka.queues.queue_file`, of every cluster: written once, as a ConfigMap has at most
    1 MiB (https://kubernetes.io/docs/concepts/configuration/configmap/).
    """

    environment: str
    archer: ArcherPlace
    history: HistoryPlace
    night: Night
    queues: str
    bounds: PlanBounds
    clusters: Mapping[str, ClusterPlace] = Field(min_length=1)

    @cached_property
    def offers(self) -> Mapping[str, Offer]:
        """What each cluster offers to a plan. Raises InvalidDocument."""
        queues = queue_file.loads(self.queues, "queues")
        return {
            name: Offer(
                cluster=Cluster(name=name, instance=_instance(place), instances=place.machines),
                zones=place.zones,
                architectures=place.architectures,
                settings=ClusterSettings(
                    queues, calendar_file.loads(place.calendar, f"clusters.{name}.calendar"), self.bounds
                ),
            )
            for name, place in self.clusters.items()
        }

    @cached_property
    def sizes(self) -> Mapping[str, ClusterSize]:
        """What a report holds use against, by cluster. Raises InvalidDocument."""
        return {
            name: ClusterSize(
                name=name,
                machine=place.machine,
                machines={kind: Machine(**size.model_dump()) for kind, size in place.types.items()},
                resources=_resources(place.capacity),
                queues=queue_sizes(self.offers[name].queues.items()),
            )
            for name, place in self.clusters.items()
        }


def dumps(configuration: Configuration) -> bytes:
    """The content of the file; equal configurations give equal bytes."""
    return gzip.compress(configuration.model_dump_json(exclude_defaults=True).encode(), mtime=0)


def loads(content: bytes, where: str) -> Configuration:
    """The configuration in a file, with offers and sizes; `where` names it in messages.

    Raises InvalidDocument.
    """
    try:
        configuration = Configuration.model_validate_json(gzip.decompress(content))
        assert configuration.offers.keys() == configuration.sizes.keys()
        return configuration
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidDocument(f"{where} is no gzip ({error}): deploy the platform again.") from None
    except ValidationError as error:
        first = error.errors()[0]
        at = ".".join(map(str, first["loc"])) or "it"
        raise InvalidDocument(f"{where}: {at}: {first['msg']}; deploy the platform again.") from None
    except (InvalidDocument, NoCapacity) as error:
        raise InvalidDocument(f"{where}: {error}") from None


def _instance(place: ClusterPlace) -> Resources:
    machine = place.types[place.machine]
    return Resources.of(cpu=f"{machine.cpu}m", memory=f"{machine.memory}Mi")


def _resources(capacity: Mapping[str, str]) -> Resources:
    gpus = capacity.get("gpu")
    return Resources.of(capacity.get("cpu"), capacity.get("memory"), int(gpus) if gpus else None)
