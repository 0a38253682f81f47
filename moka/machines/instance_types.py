"""Properties of an EC2 instance type, read from its name.

Source: "Amazon EC2 instance type naming conventions" in the EC2 User Guide. No call to AWS, so that a
settings file can be checked anywhere.
"""

import re
from dataclasses import dataclass
from typing import Literal

Architecture = Literal["arm64", "amd64"]

NAME = re.compile(
    r"(?P<family>[a-z]+(-\d+tb)?)(?P<generation>\d+)(?P<options>[a-z]*)(-[a-z0-9]+)*"
    r"\.(?P<size>nano|micro|small|medium|large|\d*xlarge|metal(-\d+xl)?)",
    re.ASCII,
)
STORAGE_FAMILIES = frozenset({"d", "f", "g", "gr", "h", "i", "im", "is", "p", "trn"})
"""Families with instance storage in every size; others have it with option `d`."""

GPU_FAMILIES = frozenset({"g", "gr", "p"})
SMALL = {"nano": 2, "micro": 2, "small": 2, "medium": 1, "large": 2, "xlarge": 4}
"""vCPUs of the sizes without a number; of `<n>xlarge` it is four times n."""

METAL_VCPUS = 192
"""vCPUs of a machine whose name does not say: as many as `metal` sizes of today have, or more."""

GIB_A_VCPU = {"c": 2, "m": 4, "r": 8, "i": 8, "x": 16}
"""Memory of a vCPU by family, of generation 5 and later, for those whose sizes all have the same."""

GIB_A_VCPU_BEFORE = {
    **{"d3": 8, "d3en": 4, "i3en": 8, "i4g": 8, "i4i": 8, "im4gn": 4, "is4gen": 6, "z1d": 8},
    **{"x2gd": 16, "x2idn": 16, "x2iedn": 32, "x2iezn": 32},
}
"""The same by series, of generations before that, where it is less even."""

OTHER_MEMORY = re.compile(r"c5n|x\d+[a-z]*e")
"""Series of these families with more than that, and not the same in all sizes."""

LOCAL_GB_A_VCPU = (
    (re.compile(r"([cmr]([6-9]|\d\d)|x2g)[a-z]*d"), 59.375),
    (re.compile(r"i4i|i4g|i7i|i8g"), 234.375),
    (re.compile(r"i3en|i7ie|i8ge"), 625),
)
"""Instance storage of a vCPU by series, GB, for those whose sizes all have the same."""


@dataclass(frozen=True)
class InstanceType:
    """An instance type, as far as its name says.

    architecture: of its processor.
    vcpus: None for bare metal, whose name does not say.
    memory_mib: MiB; None where the name does not say.
    local_disks: it has instance storage.
    local_gib: how much, all disks together; None where the name does not say.
    gpu: it has NVIDIA GPUs.
    """

    name: str
    architecture: Architecture
    vcpus: int | None
    memory_mib: int | None
    local_disks: bool
    local_gib: int | None
    gpu: bool


def instance_type(name: str) -> InstanceType:
    """Read the name of an instance type, for example `r8gd.4xlarge`.

    Raises ValueError for anything else.
    """
    match = NAME.fullmatch(name)
    if match is None:
        raise ValueError(f"{name!r} is not the name of an EC2 instance type, such as m7g.2xlarge")
    family, options, size = match["family"], match["options"], match["size"]
    architecture: Architecture = "arm64" if "g" in options or family == "a" else "amd64"
    vcpus = _vcpus(family, architecture, size)
    return InstanceType(
        name=name,
        architecture=architecture,
        vcpus=vcpus,
        memory_mib=_memory_mib(family, int(match["generation"]), options, vcpus),
        local_disks="d" in options
        or (family in STORAGE_FAMILIES and family + options != "gg"),  # g5g has none
        local_gib=_local_gib(f"{family}{match['generation']}{options}", vcpus),
        gpu=family in GPU_FAMILIES and family + options != "gad",  # g4ad has AMD's
    )


def max_pods(instance: InstanceType) -> int:
    """Pods for a node that EKS recommends at most, with prefix delegation.

    Source: awslabs/amazon-eks-ami, max-pods-calculator: 110, and 250 from 30 vCPUs on.
    """
    return 250 if instance.vcpus is None or instance.vcpus >= 30 else 110


def _vcpus(family: str, architecture: Architecture, size: str) -> int | None:
    if family == "t" and size == "medium":
        return 2
    if size in SMALL:
        return SMALL[size]
    multiple = re.fullmatch(r"(\d+)xlarge", size)
    if multiple is None:
        return None
    # hpc on x86 runs one thread a core.
    return int(multiple[1]) * (2 if family == "hpc" and architecture == "amd64" else 4)


def _memory_mib(family: str, generation: int, options: str, vcpus: int | None) -> int | None:
    series = f"{family}{generation}{options}"
    gib = GIB_A_VCPU_BEFORE.get(series) if generation < 5 else GIB_A_VCPU.get(family)
    if gib is None or vcpus is None or (generation >= 5 and OTHER_MEMORY.match(series)):
        return None
    return vcpus * gib * 1024


def _local_gib(series: str, vcpus: int | None) -> int | None:
    if vcpus is None:
        return None
    for pattern, gigabytes in LOCAL_GB_A_VCPU:
        if pattern.fullmatch(series):
            return int(gigabytes * vcpus * 10**9 / 2**30)
    return None
