"""What the root disk of a node is for, and how large it is at the least where executors shuffle and spill."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from moka.machines.instance_types import METAL_VCPUS, InstanceType

GIB_A_VCPU = 10
"""As awslabs/data-on-eks gives, on a volume of its own ("10GB per core"):
infra/terraform/manifests/karpenter/ec2nodeclass.yaml, spark-vertical-ebs-scale."""

MIBPS_A_VCPU = 125 / 16
"""As awslabs/data-on-eks gives its largest: 1000 MiB/s on machines of up to 128 vCPUs, in the same folder
nodepool-memory-optimized.yaml. What gp3 has at no charge, 125 MiB/s, is then for 16 vCPUs."""

OTHER_DISK_GIB = 20
"""What the root disk of a node holds besides: its system, images, and logs of containers."""

MIBPS = (125, 2000)
"""Least and most throughput of a gp3 volume (boto/botocore: ec2/service-2.json.gz, EbsBlockDevice)."""


@dataclass(frozen=True)
class ExecutorDisk:
    """The least disk for the largest machine of a group. mibps: MiB a second."""

    machine: InstanceType
    vcpus: int
    gib: int
    mibps: int


def least_executor_disk(machines: Sequence[InstanceType]) -> ExecutorDisk | None:
    """The least root disk of a group of these machines.

    None where all have instance storage: executors then use that and not the root disk.
    """
    if all(machine.local_disks for machine in machines):
        return None
    largest = max(machines, key=_vcpus)
    vcpus = _vcpus(largest)
    return ExecutorDisk(
        machine=largest,
        vcpus=vcpus,
        gib=OTHER_DISK_GIB + GIB_A_VCPU * vcpus,
        mibps=min(max(ceil(MIBPS_A_VCPU * vcpus), MIBPS[0]), MIBPS[1]),
    )


def _vcpus(machine: InstanceType) -> int:
    return METAL_VCPUS if machine.vcpus is None else machine.vcpus
