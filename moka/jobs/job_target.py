"""What a job needs to know of the cluster that it runs on: plain data, one of the outputs of layer spark."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from moka.machines.instance_types import Architecture
from moka.machines.machine_capacity import JobRole, MachineCapacity
from moka.names import SCHEDULER, SPARK_ACCOUNT


@dataclass(frozen=True, kw_only=True)
class Celeborn:
    """Celeborn on the cluster.

    endpoints: of its masters, `host:port,host:port`.
    version: of the servers; a job's image has the client of the same one.
    replicate: clients keep shuffle data twice, as one worker's disks may be lost with its node.
    rack_aware: and that in two zones.
    """

    endpoints: str
    version: str
    replicate: bool = True
    rack_aware: bool = False


@dataclass(frozen=True, kw_only=True)
class JobTarget:
    """One cluster, as jobs see it. JSON holds all of it.

    cluster: name in the settings.
    queues: path of each leaf -> its maximum, resource -> Kubernetes quantity (`{"cpu": "64", "memory":
        "512Gi"}`); a resource that is not there is not bounded.
    namespaces: in which jobs may run.
    priority_classes: tier -> priority class of its pods.
    machines: the largest of each role and architecture.
    event_logs: folder, `s3a://bucket/`, that the History Server reads.
    staging: namespace -> folder of its own, `s3a://bucket/namespace/`, for what jobs keep meanwhile.
    images: Spark version, `4.1` -> image of drivers and executors that name none.
    ui_domain: the UI of a running application is at `<application>.<namespace>.<ui_domain>`.
    history_url: of the Spark History Server.
    service_account: of drivers and executors.
    host_paths: namespace -> folders of nodes that its jobs may mount, with all in them.
    scheduler: name of the one that places pods.
    celeborn: None where the cluster has none.
    finalizer: on driver pods, taken off by a controller once their application is over; None where none does.
    """

    cluster: str
    environment: str
    region: str
    queues: Mapping[str, Mapping[str, str]]
    namespaces: Sequence[str]
    priority_classes: Mapping[int, str]
    machines: Sequence[MachineCapacity]
    event_logs: str
    staging: Mapping[str, str]
    images: Mapping[str, str]
    ui_domain: str
    history_url: str
    service_account: str = SPARK_ACCOUNT
    host_paths: Mapping[str, Sequence[str]] = field(default_factory=dict)
    scheduler: str = SCHEDULER
    celeborn: Celeborn | None = None
    finalizer: str | None = None

    def as_outputs(self) -> dict[str, Any]:
        """As a stack exports it: mappings, lists, text and numbers, with text for every key."""
        plain = dataclasses.asdict(self)
        plain["priority_classes"] = {str(tier): name for tier, name in self.priority_classes.items()}
        return {
            **plain,
            "machines": list(plain["machines"]),
            "namespaces": list(self.namespaces),
            "host_paths": {name: list(paths) for name, paths in self.host_paths.items()},
        }

    @classmethod
    def from_outputs(cls, outputs: Mapping[str, Any]) -> "JobTarget":
        """Read what a stack exported; the engine leaves out what is None, and may make an integer a float.

        Raises ValueError when something is missing.
        """
        known = {each.name for each in dataclasses.fields(cls)}
        given = {key: value for key, value in outputs.items() if key in known and value is not None}
        missing = [
            each.name
            for each in dataclasses.fields(cls)
            if each.default is dataclasses.MISSING and each.name not in given
        ]
        if missing:
            raise ValueError(f"the outputs lack {', '.join(missing)}")
        celeborn = given.get("celeborn")
        return cls(
            **{
                **given,
                "priority_classes": {int(tier): name for tier, name in given["priority_classes"].items()},
                "machines": tuple(MachineCapacity.from_outputs(each) for each in given["machines"]),
                "celeborn": Celeborn(**celeborn) if celeborn else None,
            }
        )

    def machine(self, role: JobRole, architecture: Architecture) -> MachineCapacity | None:
        """The largest machine of a role and architecture; None where there is none."""
        for machine in self.machines:
            if machine.role == role and machine.architecture == architecture:
                return machine
        return None

    def architectures(self) -> list[Architecture]:
        """Architectures that have machines both for drivers and for executors."""
        each: list[Architecture] = ["arm64", "amd64"]
        return [a for a in each if self.machine("driver", a) and self.machine("executor", a)]
