"""Where AWS is, and which machines it offers there: from data of installed libraries, read as files.

They know what there was when they were released. What they do not know is not refused.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

REGIONS = ("botocore", "data/partitions.json")
OFFERS = ("cfnlint", "data/schemas/extensions/aws_ec2_instance/instancetype_enum.json")
"""Package, and file in it: partitions with their regions, and regions with the instance types there."""

DIRECTIONS = re.compile(r"(north|south|central)?(east|west)?")


@cache
def regions() -> frozenset[str]:
    """Regions that are known, of all partitions."""
    return frozenset(
        region
        for partition in _data(*REGIONS).get("partitions", ())
        for region in partition["regions"]
        if not region.endswith("-global")
    )


def may_exist(region: str) -> bool:
    """Whether a region exists, or may have come since: the next number of an area, in the form of a name."""
    region_names = regions()
    if region in region_names or not region_names:
        return True
    area, _, number = region.rpartition("-")
    patterns = [str(partition["regionRegex"]) for partition in _data(*REGIONS)["partitions"]]
    direction = area.rpartition("-")[2]
    if not any(re.fullmatch(pattern, region, re.ASCII) for pattern in patterns):
        return False
    numbers = [int(name.rpartition("-")[2]) for name in region_names if name.rpartition("-")[0] == area]
    return bool(direction and DIRECTIONS.fullmatch(direction)) and int(number) == max(numbers, default=0) + 1


def offered(region: str) -> frozenset[str] | None:
    """Instance types that EC2 offers in a region; None where that is not known."""
    return _offers().get(region)


@cache
def instance_types() -> frozenset[str]:
    """Instance types that are offered anywhere."""
    return frozenset().union(*_offers().values())


@cache
def _offers() -> Mapping[str, frozenset[str]]:
    return {
        region: frozenset(schema["enum"])
        for region, schema in _data(*OFFERS).items()
        if isinstance(schema, dict) and schema.get("enum")
    }


@cache
def _data(package: str, file: str) -> Mapping[str, Any]:
    """A file of an installed package, which is not imported; nothing where there is none."""
    spec = find_spec(package)
    for folder in (spec and spec.submodule_search_locations) or ():
        path = Path(folder) / file
        if path.is_file():
            content: Mapping[str, Any] = json.loads(path.read_bytes())
            return content
    return {}
