"""Settings of what runs on a node before any pod of a job comes to it."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from moka.documents import Cpu, Memory, Section
from moka.images import OwnImage
from stacks.settings.spark import HostPath

EnvName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
StartupRole = Literal["driver", "executor", "shuffle"]
"""Not system: what brings the cluster up runs there, before there can be a DaemonSet of a company's own."""

Words = Annotated[list[str], Field(max_length=100)]


class HostFolder(Section):
    """A folder of the node that a DaemonSet sees."""

    path: HostPath = Field(description="Folder of the node, which is made where it is not there.")
    mount: HostPath | None = Field(default=None, description="Where it is in the pod, by default the same.")
    read_only: bool = Field(default=False, description="The pod may only read it.")
    propagation: Literal["None", "HostToContainer", "Bidirectional"] = Field(
        default="None",
        description="Bidirectional: what the pod mounts below it the node and other pods see, such as a FUSE "
        "mount; requires `privileged`. HostToContainer: the pod sees what the node mounts.",
    )


class BootstrapDaemonSet(Section):
    """A DaemonSet that has to be ready on a node before pods of jobs come to it."""

    image: OwnImage = Field(description="Its image, for every architecture of the nodes.")
    command: Words = Field(default_factory=list, description="Its program, by default the image's.")
    args: Words = Field(default_factory=list, description="Arguments of it.")
    env: dict[EnvName, str] = Field(
        default_factory=dict, description="Environment variables; nothing secret."
    )
    ready: Words = Field(
        min_length=1,
        description="Command in its container that succeeds as soon as pods may come, such as "
        "[mountpoint, -q, /mnt/fuse/data].",
    )
    roles: list[StartupRole] = Field(
        default=["driver", "executor"], min_length=1, description="Roles of the nodes that wait for it."
    )
    privileged: bool = Field(default=False, description="It has all rights on the node, as root.")
    host_folders: list[HostFolder] = Field(
        default_factory=list, description="Folders of the node that it sees."
    )
    cpu: Cpu = Field(default="50m", description="Cores that it requests.")
    memory: Memory = Field(default="128Mi", description="Memory that it requests, and may have at most.")

    @model_validator(mode="after")
    def _may_mount(self) -> Self:
        if not self.privileged and any(folder.propagation == "Bidirectional" for folder in self.host_folders):
            raise ValueError(
                "has a folder with propagation Bidirectional; set privileged, or another propagation"
            )
        return self
