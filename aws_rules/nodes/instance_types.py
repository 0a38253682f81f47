"""Instance types that are newer than the data here: what their names say, and a guess at the rest."""

import re
from typing import Any

_NAME = re.compile(r"(?P<family>[a-z]+)\d+(?P<options>[a-z0-9-]*)\.(?P<times>\d*)(?P<size>[a-z-]+)")
"""https://docs.aws.amazon.com/ec2/latest/instancetypes/instance-type-names.html"""

_MEMORY = {"c": 2, "r": 8, "x": 16}
"""Family -> GiB a vCPU; 4 of others."""
_NVIDIA = ("g", "p")
_METAL_XLARGES = 48


def assumed(name: str) -> dict[str, Any]:
    """Attributes of an instance type that nobody described here, as DescribeInstanceTypes would show them."""
    match = _NAME.fullmatch(name)
    family, options = (match["family"], match["options"]) if match else ("m", "")
    vcpus = _vcpus(match) if match else 4
    gpus = [{"Manufacturer": "NVIDIA", "Name": "", "Count": 1}] if family in _NVIDIA else []
    return {
        "InstanceType": name,
        "ProcessorInfo": {"SupportedArchitectures": ["arm64" if "g" in options else "x86_64"]},
        "VCpuInfo": {"DefaultVCpus": vcpus},
        "MemoryInfo": {"SizeInMiB": vcpus * _MEMORY.get(family, 4) * 1024},
        "NetworkInfo": {"Ipv4AddressesPerInterface": 15},
        **({"GpuInfo": {"Gpus": gpus}} if gpus else {}),
    }


def _vcpus(match: re.Match[str]) -> int:
    if match["size"] == "xlarge":
        return 4 * int(match["times"] or 1)
    return 4 * _METAL_XLARGES if match["size"].startswith("metal") else 2
