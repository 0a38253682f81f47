"""The cluster that a job runs on, as far as jobs need to know it: one of the outputs of layer spark."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from moka.machines.instance_types import Architecture
from moka.machines.machine_capacity import JobRole, MachineCapacity
from moka.machines.zone_capacity import ZoneCapacity
from moka.names import SCHEDULER, SPARK_ACCOUNT

ExecutorZone = Literal["one", "any"]
"""All executors of a job in one zone, another for each job; or wherever there is room."""


@dataclass(frozen=True, kw_only=True)
class Celeborn:
    """Celeborn on a cluster.

    endpoints: of its masters, `host:port,host:port`.
    version: of the servers; the client in a job's image has the same.
    replicate: clients store shuffle data twice, as a worker's disks may be lost with its node.
    rack_aware: the two copies are in two zones.
    """

    endpoints: str
    version: str
    replicate: bool = True
    rack_aware: bool = False


@dataclass(frozen=True, kw_only=True)
class CelebornDefault:
    """Which jobs shuffle on Celeborn without asking for it.

    clients: Spark versions whose image in `images` has Celeborn's client.
    cores: of all executors that a job with dynamic allocation may have, at the least.
    """

    clients: Sequence[str]
    cores: int


@dataclass(frozen=True, kw_only=True)
class EventLogUploader:
    """The sidecar that uploads event logs.

    image: reference, for every architecture of the driver nodes.
    bucket, region: to which, and where that is.
    seconds: between uploads.
    """

    image: str
    bucket: str
    region: str
    seconds: int


@dataclass(frozen=True, kw_only=True)
class Metastore:
    """Where jobs find out which tables there are: Hive's server, or else AWS Glue.

    warehouse: folder, `s3a://bucket/folder/`, of tables that have no location of their own.
    thrift: addresses of Hive's servers, `thrift://host:port`.
    glue_account, glue_region: whose catalog it is, and where.
    """

    warehouse: str
    thrift: Sequence[str] = ()
    glue_account: str = ""
    glue_region: str = ""


@dataclass(frozen=True, kw_only=True)
class OwnNodes:
    """Nodes that are for the jobs of one namespace: fields of the same name of `JobTarget`."""

    machines: Sequence[MachineCapacity]
    gpu_machines: Sequence[MachineCapacity] = ()
    executor_zones: Sequence[ZoneCapacity] = ()


@dataclass(frozen=True, kw_only=True)
class JobTarget:
    """One cluster, as jobs see it. JSON holds all of it.

    cluster: name in the settings.
    queues: path of each leaf -> its maximum, resource -> Kubernetes quantity (`{"cpu": "64", "memory":
        "512Gi"}`); a resource that is left out is not bounded.
    namespaces: in which jobs may run.
    priority_classes: tier -> priority class of its pods.
    machines: the largest of each role and architecture, without GPUs.
    gpu_machines: the largest with GPUs.
    event_log_uploader: the sidecar that uploads event logs.
    staging: namespace -> its folder, `s3a://bucket/namespace/`, for intermediate data of jobs.
    code: namespace -> its folder of what jobs run, which they read; none in the stack's outputs of an earlier
        version.
    readable: namespace -> folders, `s3a://bucket/`, that its jobs may read besides these two; None
        where the stack's outputs, of an earlier version, do not say.
    bucket_regions: bucket that jobs may use -> its region; others are in that of the cluster.
    metastores: namespace -> the metastore of its jobs; none where it is left out.
    images: Spark version, `4.1` -> image of jobs that name none.
    ui_domain: the UI of a running application is at `<application>.<namespace>.<ui_domain>`.
    ui_scheme: of its address.
    history_url: of the Spark History Server.
    service_account: of drivers and executors.
    host_paths: namespace -> folders of nodes that its jobs may mount, with all in them.
    claims: namespace -> regular expressions of the queues that its jobs may name; all where it is left out.
    most_executors: namespace -> executors that a job may ask for at the most; any number where it is left
        out.
    packages, repositories: that jobs may name, of Maven; none where they are left out.
    scheduler: name of the scheduler of pods.
    celeborn: None where the cluster has none.
    celeborn_zones: of its workers; beside it, as an earlier version knows all that `celeborn` may have.
    without_celeborn: namespaces whose jobs do not use it.
    executor_zones: what executors can have in each zone that may be chosen for them.
    own_nodes: namespace -> nodes of its own, in place of those that all others share.
    executor_zone: where those of jobs are that do not say.
    celeborn_default: None where no job shuffles there without asking for it.
    finalizer: of driver pods, which a controller removes once their application is over; None without one.
    """

    cluster: str
    environment: str
    region: str
    queues: Mapping[str, Mapping[str, str]]
    namespaces: Sequence[str]
    priority_classes: Mapping[int, str]
    machines: Sequence[MachineCapacity]
    event_log_uploader: EventLogUploader
    staging: Mapping[str, str]
    images: Mapping[str, str]
    ui_domain: str
    history_url: str
    service_account: str = SPARK_ACCOUNT
    host_paths: Mapping[str, Sequence[str]] = field(default_factory=dict)
    claims: Mapping[str, Sequence[str]] = field(default_factory=dict)
    most_executors: Mapping[str, int] = field(default_factory=dict)
    code: Mapping[str, str] = field(default_factory=dict)
    readable: Mapping[str, Sequence[str]] | None = None
    bucket_regions: Mapping[str, str] = field(default_factory=dict)
    metastores: Mapping[str, Metastore] = field(default_factory=dict)
    gpu_machines: Sequence[MachineCapacity] = ()
    scheduler: str = SCHEDULER
    celeborn: Celeborn | None = None
    celeborn_default: CelebornDefault | None = None
    finalizer: str | None = None
    ui_scheme: str = "http"
    celeborn_zones: Sequence[str] = ()
    without_celeborn: Sequence[str] = ()
    executor_zones: Sequence[ZoneCapacity] = ()
    executor_zone: ExecutorZone = "any"
    own_nodes: Mapping[str, OwnNodes] = field(default_factory=dict)
    packages: Sequence[str] = ()
    repositories: Sequence[str] = ()

    def as_outputs(self) -> dict[str, Any]:
        """As a stack exports it: mappings, lists, text and numbers, with text for every key."""
        plain = dataclasses.asdict(self)
        plain["priority_classes"] = {str(tier): name for tier, name in self.priority_classes.items()}
        return {
            **plain,
            "machines": list(plain["machines"]),
            "gpu_machines": list(plain["gpu_machines"]),
            "executor_zones": list(plain["executor_zones"]),
            "celeborn_zones": list(self.celeborn_zones),
            "without_celeborn": list(self.without_celeborn),
            "namespaces": list(self.namespaces),
            "packages": list(self.packages),
            "repositories": list(self.repositories),
            "readable": None
            if self.readable is None
            else {name: list(folders) for name, folders in self.readable.items()},
            "own_nodes": {
                name: {key: list(value) for key, value in nodes.items()}
                for name, nodes in plain["own_nodes"].items()
            },
            "host_paths": {name: list(paths) for name, paths in self.host_paths.items()},
            "claims": {name: list(patterns) for name, patterns in self.claims.items()},
        }

    @classmethod
    def from_outputs(cls, outputs: Mapping[str, Any]) -> "JobTarget":
        """Read what a stack exported; the engine leaves out what is None, and may make an integer a float.

        Raises ValueError when something is missing.
        """
        fields = {field.name: field for field in dataclasses.fields(cls)}
        values = {key: value for key, value in outputs.items() if key in fields and value is not None}
        missing = [
            name
            for name, field in fields.items()
            if field.default is dataclasses.MISSING and name not in values
        ]
        if missing:
            raise ValueError(f"the outputs lack {', '.join(missing)}")
        celeborn, uploader = values.get("celeborn"), values["event_log_uploader"]
        default = values.get("celeborn_default")
        return cls(
            **{
                **values,
                "priority_classes": {int(tier): name for tier, name in values["priority_classes"].items()},
                **_nodes(values),
                "most_executors": {
                    name: int(most) for name, most in values.get("most_executors", {}).items()
                },
                "own_nodes": {
                    name: OwnNodes(**_nodes(nodes)) for name, nodes in values.get("own_nodes", {}).items()
                },
                "celeborn": Celeborn(**celeborn) if celeborn else None,
                "metastores": {
                    name: Metastore(**{key: value for key, value in metastore.items() if value is not None})
                    for name, metastore in values.get("metastores", {}).items()
                },
                "celeborn_default": CelebornDefault(clients=default["clients"], cores=int(default["cores"]))
                if default
                else None,
                "event_log_uploader": EventLogUploader(**{**uploader, "seconds": int(uploader["seconds"])}),
            }
        )

    def nodes_of(self, namespace: str) -> "JobTarget":
        """The cluster as jobs of a namespace see it: with its own nodes only, where it has some."""
        own = self.own_nodes.get(namespace)
        if own is None:
            return self
        return dataclasses.replace(
            self, machines=own.machines, gpu_machines=own.gpu_machines, executor_zones=own.executor_zones
        )

    def machine(
        self, role: JobRole, architecture: Architecture, *, gpu: bool = False
    ) -> MachineCapacity | None:
        """The largest machine of a role and architecture, with GPUs or without; None where there is none."""
        for machine in self.gpu_machines if gpu else self.machines:
            if machine.role == role and machine.architecture == architecture:
                return machine
        return None

    def architectures(self) -> list[Architecture]:
        """Architectures that have machines both for drivers and for executors."""
        return [
            architecture
            for architecture in get_args(Architecture)
            if self.machine("driver", architecture) and self.machine("executor", architecture)
        ]


def _nodes(outputs: Mapping[str, Any]) -> dict[str, Any]:
    """What a stack exported of nodes."""
    return {
        **{
            name: tuple(map(MachineCapacity.from_outputs, outputs.get(name) or ()))
            for name in ("machines", "gpu_machines")
        },
        "executor_zones": tuple(map(ZoneCapacity.from_outputs, outputs.get("executor_zones") or ())),
    }
