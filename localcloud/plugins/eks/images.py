"""Types of machine images of EKS."""

import re
from collections.abc import Sequence

from localcloud.errors import Refusal

# Operating system, architecture, whether with GPUs -> type of machine image.
AMI_TYPES = {
    ("AL2", "x86_64", False): "AL2_x86_64",
    ("AL2", "x86_64", True): "AL2_x86_64_GPU",
    ("AL2", "arm64", False): "AL2_ARM_64",
    ("AL2023", "x86_64", False): "AL2023_x86_64_STANDARD",
    ("AL2023", "x86_64", True): "AL2023_x86_64_NVIDIA",
    ("AL2023", "arm64", False): "AL2023_ARM_64_STANDARD",
    ("Bottlerocket", "x86_64", False): "BOTTLEROCKET_x86_64",
    ("Bottlerocket", "x86_64", True): "BOTTLEROCKET_x86_64_NVIDIA",
    ("Bottlerocket", "arm64", False): "BOTTLEROCKET_ARM_64",
    ("Bottlerocket", "arm64", True): "BOTTLEROCKET_ARM_64_NVIDIA",
}


def ami_type(about: str, system: str, gpu: bool, instance_types: Sequence[str]) -> str:
    """Type of image of a system for instance types. Raises Refusal when there is none for all of them.

    A `g` after the generation means Graviton: r8g.4xlarge.
    """
    architectures = {
        "arm64" if re.match(r"[a-z]+\d+g", instance_type) else "x86_64" for instance_type in instance_types
    }
    if len(architectures) > 1:
        raise Refusal(f"{about}: its instance types share no architecture.")
    [architecture] = architectures or {"x86_64"}
    image = AMI_TYPES.get((system, architecture, gpu))
    if image is None:
        kind = f"{system} on {architecture}{' with GPUs' if gpu else ''}"
        raise Refusal(f"{about}: there is no image of {kind}: name one with amiType.")
    return image
