"""How many machines and vCPUs an environment can come to have in an account."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from doctor.account import Place
from moka.machines.instance_types import instance_type
from stacks.settings.cluster import NodeGroup

CLASSES = {
    **dict.fromkeys(("a", "c", "d", "h", "i", "im", "is", "m", "r", "t", "z"), "Standard"),
    **dict.fromkeys(("g", "gr", "vt"), "G and VT"),
    "p": "P",
    "x": "X",
    "f": "F",
    "inf": "Inf",
    "trn": "Trn",
    "dl": "DL",
    "hpc": "HPC",
    "u": "High Memory",
}
"""Family of instance types -> class that EC2 counts vCPUs of, by the names of its quotas."""


@dataclass(frozen=True)
class MachineGroup:
    """All machines that a node group can have, or one of its earlier generations.

    types: instance types that they may be of.
    retiring: an earlier generation: no more machines start.
    """

    cluster: str
    name: str
    settings: NodeGroup
    types: tuple[str, ...]
    zones: tuple[str, ...]
    retiring: bool = False

    @property
    def per_zone(self) -> int:
        """Machines in a zone, at most."""
        return math.ceil(self.settings.maximum / len(self.zones))


def machine_groups(place: Place) -> Iterator[MachineGroup]:
    """The node groups of a foundation's clusters; those that retire are there until their drivers finish."""
    for cluster_name, cluster in place.clusters.items():
        for name, group in cluster.node_groups.items():
            zones = group.effective_zones(place.foundation.zones)
            yield MachineGroup(cluster_name, name, group, tuple(group.instance_types), zones)
            for number, retiring in group.retiring.items():
                generation = f"{name} (generation {number})"
                types = tuple(retiring.instance_types)
                yield MachineGroup(cluster_name, generation, group, types, zones, retiring=True)


def vcpu_class(type_name: str) -> str:
    """Class of instance types that a type's vCPUs are counted in."""
    family = re.match(r"[a-z]+?(?=\d|-)", type_name)
    return CLASSES.get(family[0], "Standard") if family else "Standard"


def vcpus(place: Place, names: set[str]) -> dict[str, int]:
    """vCPUs of instance types; EC2 is asked about those whose name does not say. Raises NoAnswer."""
    sizes = {name: instance_type(name).vcpus for name in names}
    if unknown := [name for name, size in sizes.items() if size is None]:
        for type_ in place.items("ec2", "describe_instance_types", "InstanceTypes", InstanceTypes=unknown):
            sizes[type_["InstanceType"]] = type_["VCpuInfo"]["DefaultVCpus"]
    return {name: size or 0 for name, size in sizes.items()}
