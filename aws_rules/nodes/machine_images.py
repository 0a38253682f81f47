"""What EKS's machine images run on: the instance types that fit an AMI type."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from aws_rules.rule import Rule, Unknown, Verdict, Violation

FITS_IMAGE = Rule(
    name="machine-image",
    authority="EKS",
    decides="whether the instance types of a group fit its machine image",
    source="https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateNodegroup.html",
)
RULES = (FITS_IMAGE,)


ARCHITECTURES = {"x86_64": "amd64", "arm64": "arm64"}
"""EC2's name of an architecture -> Kubernetes' and container images' name."""


@dataclass(frozen=True)
class Image:
    """An AMI type.

    architecture: as EC2 names it. accelerator: of its drivers: `NVIDIA`, `Neuron`; None for none.
    """

    architecture: str
    accelerator: str | None = None


# Source: API_CreateNodegroup, amiType; for what each is: "Create nodes with optimized Amazon Linux AMIs".
IMAGES: Mapping[str, Image] = {
    "AL2023_x86_64_STANDARD": Image("x86_64"),
    "AL2023_ARM_64_STANDARD": Image("arm64"),
    "AL2023_x86_64_NVIDIA": Image("x86_64", "NVIDIA"),
    "AL2023_ARM_64_NVIDIA": Image("arm64", "NVIDIA"),
    "AL2023_x86_64_NEURON": Image("x86_64", "Neuron"),
    "AL2_x86_64": Image("x86_64"),
    "AL2_ARM_64": Image("arm64"),
    "AL2_x86_64_GPU": Image("x86_64", "NVIDIA"),
    "BOTTLEROCKET_x86_64": Image("x86_64"),
    "BOTTLEROCKET_ARM_64": Image("arm64"),
    "BOTTLEROCKET_x86_64_NVIDIA": Image("x86_64", "NVIDIA"),
    "BOTTLEROCKET_ARM_64_NVIDIA": Image("arm64", "NVIDIA"),
}


def fits_image(
    resource: str, ami_type: str, instance_types: Iterable[Mapping[str, Any]]
) -> Iterator[Verdict]:
    """Whether instance types (as DescribeInstanceTypes shows them) fit an AMI type."""
    image = IMAGES.get(ami_type)
    if image is None:
        if ami_type != "CUSTOM":
            yield Unknown(rule=FITS_IMAGE, resource=resource, lacks=f"AMI type {ami_type}")
        return
    for instance_type in instance_types:
        name = instance_type["InstanceType"]
        if image.architecture not in instance_type["ProcessorInfo"]["SupportedArchitectures"]:
            yield _misfit(resource, name, ami_type, f"choose an AMI type of {_architecture(instance_type)}")
        elif image.accelerator == "NVIDIA" and not _nvidia_gpus(instance_type):
            yield _misfit(resource, name, ami_type, "choose a type with NVIDIA GPUs, or another AMI type")


def _misfit(resource: str, name: str, ami_type: str, remedy: str) -> Violation:
    # Source: HHS/simpler-grants-gov#12404 has EKS's words.
    return Violation(
        rule=FITS_IMAGE,
        resource=resource,
        code="InvalidParameterException",
        message=f"[{name}] is not a valid instance type for requested amiType {ami_type}",
        remedy=remedy,
    )


def _architecture(instance_type: Mapping[str, Any]) -> str:
    return " or ".join(instance_type["ProcessorInfo"]["SupportedArchitectures"])


def _nvidia_gpus(instance_type: Mapping[str, Any]) -> int:
    gpus = (instance_type.get("GpuInfo") or {}).get("Gpus") or ()
    return sum(gpu["Count"] for gpu in gpus if gpu["Manufacturer"] == "NVIDIA")
