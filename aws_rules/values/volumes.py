"""EBS volumes: size, IOPS and throughput, by type."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from aws_rules.rule import Rule
from aws_rules.values.request import Path, Request, ValueVerdict

RULE = Rule(
    name="volume-performance",
    authority="AWS",
    decides="which sizes, IOPS and throughputs a volume of a type may have, and together",
    source="https://docs.aws.amazon.com/ebs/latest/userguide/general-purpose.html",
)

RULES = (RULE,)


@dataclass(frozen=True, kw_only=True)
class VolumeType:
    """What volumes of a type may have.

    gib, iops, throughput: least and most; None: none can be set. throughput: MiB/s.
    default_iops: where none are set. iops_required: they have to be set.
    iops_per_gib: most. throughput_per_iops: most, in MiB/s.
    """

    gib: tuple[int, int]
    iops: tuple[int, int] | None = None
    iops_required: bool = False
    default_iops: int = 0
    iops_per_gib: int = 0
    throughput: tuple[int, int] | None = None
    throughput_per_iops: float = 0


# Sizes, IOPS and throughput: boto/botocore: ec2/service-2.json.gz, EbsBlockDevice. gp3's are those of
# September 2025 (cfn-lint still has 16,000 IOPS). Ratios:
# https://docs.aws.amazon.com/ebs/latest/userguide/general-purpose.html, .../provisioned-iops.html
VOLUME_TYPES: Mapping[str, VolumeType] = {
    "gp2": VolumeType(gib=(1, 16_384)),
    "gp3": VolumeType(
        gib=(1, 65_536),
        iops=(3_000, 80_000),
        default_iops=3_000,
        iops_per_gib=500,
        throughput=(125, 2_000),
        throughput_per_iops=0.25,
    ),
    "io1": VolumeType(gib=(4, 16_384), iops=(100, 64_000), iops_required=True, iops_per_gib=50),
    "io2": VolumeType(gib=(4, 65_536), iops=(100, 256_000), iops_required=True, iops_per_gib=1_000),
    "sc1": VolumeType(gib=(125, 16_384)),
    "st1": VolumeType(gib=(125, 16_384)),
    "standard": VolumeType(gib=(1, 1_024)),
}

DEFAULT_TYPE = "gp2"
"""Of a volume without a type, unless its image says otherwise."""


def verdicts(request: Request) -> Iterator[ValueVerdict]:
    """The volumes of a launch template."""
    path: Path = ("LaunchTemplateData", "BlockDeviceMappings")
    mappings = request.value_at(*path)
    for index, mapping in enumerate(mappings if isinstance(mappings, list) else ()):
        volume = mapping.get("Ebs") if isinstance(mapping, Mapping) else None
        if isinstance(volume, Mapping):
            for member, message, remedy in volume_faults(volume):
                where = (*path, index, "Ebs", member)
                yield request.misfit(RULE, where, "InvalidParameterValue", message, remedy)


def volume_faults(volume: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Member, message and remedy for each fault of a volume with EC2's members."""
    name = volume.get("VolumeType", DEFAULT_TYPE)
    kind = VOLUME_TYPES.get(name) if isinstance(name, str) else None
    if kind is None:
        return
    size, iops, throughput = (
        value if isinstance(value := volume.get(member), int) else None
        for member in ("VolumeSize", "Iops", "Throughput")
    )
    if size is not None and not kind.gib[0] <= size <= kind.gib[1]:
        bound = "small" if size < kind.gib[0] else "large"
        message = f"Volume of {size}GiB is too {bound} for volume type {name}"
        yield "VolumeSize", message, f"choose {kind.gib[0]} to {kind.gib[1]} GiB"
    if "Iops" in volume and kind.iops is None:
        message = f"The parameter iops is not supported for {name} volumes"
        yield "Iops", message, "leave it out, or choose gp3"
    if "Throughput" in volume and kind.throughput is None:
        message = f"The parameter throughput is not supported for {name} volumes"
        yield "Throughput", message, "leave it out, or choose gp3"
    if kind.iops_required and "Iops" not in volume:
        yield "Iops", f"The parameter iops must be specified for {name} volumes", "set it"
    if iops is not None and kind.iops:
        yield from _bound_faults("Iops", "Volume iops", iops, kind.iops)
        if size is not None and iops > size * kind.iops_per_gib and iops > kind.default_iops:
            message = (
                f"Iops to volume size ratio of {iops / size:f} is too high; maximum is {kind.iops_per_gib}"
            )
            yield "Iops", message, f"set at most {size * kind.iops_per_gib}, or a larger volume"
    if throughput is not None and kind.throughput:
        yield from _bound_faults("Throughput", "Throughput (MiBps)", throughput, kind.throughput)
        set_iops = kind.default_iops if "Iops" not in volume else iops
        if set_iops and throughput > set_iops * kind.throughput_per_iops:
            message = (
                f"Throughput (MiBps) to iops ratio of {throughput / set_iops:f} is too high; maximum is "
                f"{kind.throughput_per_iops:f} MiBps per iops"
            )
            minimum = int(-(-throughput // kind.throughput_per_iops))
            yield "Throughput", message, f"set iops to {minimum} or more, or a lower throughput"


def _bound_faults(
    member: str, noun: str, value: int, bounds: tuple[int, int]
) -> Iterator[tuple[str, str, str]]:
    least, most = bounds
    if value < least:
        yield member, f"{noun} of {value} is too low; minimum is {least}", f"set {least} to {most}"
    elif value > most:
        yield member, f"{noun} of {value} is too high; maximum is {most}", f"set {least} to {most}"
