"""Where the subnets of `awsx.ec2.Vpc` lie: pure arithmetic, as pulumi-awsx 3.11 does it.

Source: subnetDistributorLegacy.ts, subnetDistributorNew.ts and vpc.ts of github.com/pulumi/pulumi-awsx.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Network
from math import ceil, log2
from typing import Any

from localcloud.errors import Refusal

PUBLIC, PRIVATE, ISOLATED, UNUSED = "Public", "Private", "Isolated", "Unused"
KINDS = (PUBLIC, PRIVATE, ISOLATED, UNUSED)
"""Kinds of subnets, in the order in which those of a zone are made."""

LEGACY_ORDER = (PRIVATE, PUBLIC, ISOLATED)
LEGACY_MASKS = {PRIVATE: 19, PUBLIC: 20, ISOLATED: 24}
"""Of the strategy `Legacy`: the order of the ranges, and the widest masks of specs that name none."""

STRATEGIES = ("Legacy", "Auto", "Exact")


@dataclass(frozen=True)
class SubnetSpec:
    """Subnets of one kind, one in each zone.

    mask: length of the prefix; None for a share of the zone. ranges: of each zone, where they are named.
    """

    kind: str
    name: str | None = None
    mask: int | None = None
    ranges: tuple[str, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Subnet:
    """A subnet of the layout; name: logical name, and tag `Name`."""

    name: str
    kind: str
    zone: str
    range: str
    tags: Mapping[str, str] = field(default_factory=dict)


DEFAULT = (SubnetSpec(PRIVATE), SubnetSpec(PUBLIC))


def spec_of(arguments: Mapping[str, Any]) -> SubnetSpec:
    """A spec from the program's. Raises Refusal for a kind that there is not."""
    kind = str(arguments["type"]).capitalize()
    if kind not in KINDS:
        raise Refusal(f"A subnet of type {arguments['type']}: take one of {', '.join(KINDS)}.")
    mask, size = arguments.get("cidrMask"), arguments.get("size")
    if mask is None and size is not None:
        mask = 32 - int(log2(size))
    return SubnetSpec(
        kind=kind,
        name=arguments.get("name"),
        mask=None if mask is None else int(mask),
        ranges=tuple(arguments.get("cidrBlocks") or ()),
        tags=arguments.get("tags") or {},
    )


def subnets(
    vpc: str,
    network: str,
    zones: Sequence[str],
    specs: Sequence[SubnetSpec] | None,
    strategy: str,
    zone_mask: int | None = None,
) -> list[Subnet]:
    """The subnets of a VPC, in the order in which they are made. Raises Refusal where they do not fit.

    vpc: its logical name. network: its range. specs: None for a private and a public one. strategy: one of
    STRATEGIES. zone_mask: of the range of a zone, by default an equal share.
    """
    whole = IPv4Network(network)
    by_zone = zone_mask if strategy != "Legacy" else None
    prefix = by_zone or whole.prefixlen + _bits(len(zones))
    layout: list[Subnet] = []
    for number, zone in enumerate(zones):
        base = int(whole.network_address) + number * 2 ** (32 - prefix)
        ranges = _explicit(specs, number) or _ranges(IPv4Network((base, prefix)), specs, strategy)
        layout += [
            Subnet(f"{vpc}-{spec.name or spec.kind.lower()}-{number + 1}", spec.kind, zone, range, spec.tags)
            for spec, range in sorted(ranges, key=lambda pair: KINDS.index(pair[0].kind))
            if spec.kind != UNUSED
        ]
    return layout


def _explicit(specs: Sequence[SubnetSpec] | None, zone: int) -> list[tuple[SubnetSpec, str]]:
    range_specs = [spec for spec in specs or () if spec.ranges]
    return [(spec, spec.ranges[zone]) for spec in range_specs]


def _ranges(
    zone: IPv4Network, specs: Sequence[SubnetSpec] | None, strategy: str
) -> list[tuple[SubnetSpec, str]]:
    """Ranges of the specs in a zone, one after the other, each where its size allows it to begin."""
    at, ranges = int(zone.network_address), []
    for spec, mask in _masks(zone.prefixlen, specs, strategy):
        size = 2 ** (32 - mask)
        start = -(-at // size) * size
        network = IPv4Network((start, mask))
        if not network.subnet_of(zone):
            raise Refusal(
                f"The subnets of a VPC are too large: one of {network} is not in {zone}, which a zone has; "
                "take larger cidrMasks."
            )
        ranges.append((spec, str(network)))
        at = start + size
    return ranges


def _masks(zone: int, specs: Sequence[SubnetSpec] | None, strategy: str) -> list[tuple[SubnetSpec, int]]:
    if specs is None:
        return [(spec, max(zone, 16) + number) for number, spec in enumerate(DEFAULT, 1)]
    if strategy == "Legacy":
        share = zone + (0 if len(specs) == 1 else 1)
        order = sorted(specs, key=lambda spec: LEGACY_ORDER.index(spec.kind))
        return [(spec, spec.mask or max(share, LEGACY_MASKS[spec.kind])) for spec in order]
    return [(spec, spec.mask or zone + _bits(len(specs))) for spec in specs]


def _bits(count: int) -> int:
    return ceil(log2(count)) if count else 0
