"""Settings of Celeborn, which keeps shuffle data apart from executors."""

from typing import Literal, Self

from pydantic import Field, model_validator

from moka.documents import Count, Name, Section


class InstanceStorage(Section):
    """The disks that come with a machine: fastest, and lost with it."""

    gib: int = Field(
        ge=10, le=1_000_000, description="How much of a node's instance storage its worker may use, GiB."
    )


class VolumeStorage(Section):
    """EBS volumes (gp3, encrypted) of each worker: they outlive its machine."""

    count: int = Field(default=4, ge=1, le=16, description="Volumes of each worker.")
    gib: int = Field(default=1000, ge=10, le=16384, description="Size of each volume, GiB.")
    iops: int = Field(
        default=3000, ge=3000, le=16000, description="Operations a second of each volume; at most 500 a GiB."
    )
    mibps: int = Field(
        default=250, ge=125, le=1000, description="MiB a second of each volume; at most a quarter of iops."
    )


class Storage(Section):
    """Where workers keep shuffle data: set one of the two. Another kind or size replaces the workers."""

    instance: InstanceStorage | None = Field(default=None, description="On instance storage.")
    volumes: VolumeStorage | None = Field(default=None, description="On EBS volumes.")

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if (self.instance is None) == (self.volumes is None):
            raise ValueError("needs either `instance` or `volumes`; set one of the two")
        return self


class MasterSize(Section):
    """Size of a master."""

    cpus: int = Field(ge=1, le=1000, description="Cores.")
    heap_gib: int = Field(
        ge=1,
        le=100_000,
        description="Heap of its JVM, GiB; a quarter as much is for its buffers, and the pod gets a tenth "
        "more than both.",
    )


class WorkerSize(Section):
    """Size of a worker."""

    cpus: int = Field(ge=1, le=1000, description="Cores.")
    heap_gib: int = Field(ge=1, le=100_000, description="Heap of its JVM, GiB.")
    off_heap_gib: int = Field(
        ge=1,
        le=100_000,
        description="Memory for its buffers, GiB; the pod gets a tenth more than heap and buffers.",
    )


class Sizes(Section):
    """Sizes in place of those that follow from the machines and the number of workers."""

    master: MasterSize | None = Field(default=None, description="Size of each master.")
    worker: WorkerSize | None = Field(default=None, description="Size of each worker.")


class Quota(Section):
    """What a tenant may use in Celeborn at a time, both copies counted.

    Jobs beyond it shuffle on their executors, or fail with a message if they allocate executors dynamically:
    so Celeborn's documentation and its client, with no server that ran here.
    """

    gib: Count | None = Field(default=None, description="Shuffle data, GiB; no limit by default.")
    files: Count | None = Field(default=None, description="Files; no limit by default.")

    @model_validator(mode="after")
    def _some_limit(self) -> Self:
        if self.gib is None and self.files is None:
            raise ValueError("sets no limit; set gib, files or both, or remove the tenant")
        return self


class Shuffle(Section):
    """Celeborn on a cluster. Workers are in the zones of the groups with role shuffle.

    Name one zone there, or say that it is to be all of them. A TB that is shuffled costs nothing between
    zones with workers and executors in one, as a byte crosses 0 times; USD 27 with workers in one zone and
    executors in three (1.33 times), and USD 47 with workers in three zones (2.33 times), where jobs go on
    when one fails.
    """

    workers: int = Field(
        ge=2,
        description="Workers, one on each node with role shuffle. When there are fewer, those that go "
        "wait until their data is no longer needed.",
    )
    storage: Storage
    replicate: bool = Field(
        default=True, description="Jobs keep shuffle data on two workers, in two zones if there are several."
    )
    masters: Literal[1, 3, 5] = Field(
        default=3,
        description="Masters, one on each node with role system. They vote, so `up` cannot change their "
        "number later.",
    )
    drain_hours: int = Field(
        default=6,
        ge=1,
        le=72,
        description="Hours that a worker waits, before it is removed, for jobs to be done with its data.",
    )
    sizes: Sizes = Sizes()
    quotas: dict[Name, Quota] = Field(
        default_factory=dict, description="Tenant, an organization of `queues` -> what it may use."
    )
