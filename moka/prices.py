"""The table of prices, `prices.json` beside this file: AWS's list prices in USD, and where they are from.

`moka prices` asks AWS for them anew. A price that the table lacks is None, and never taken from elsewhere.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).parent / "prices.json"

KEYS = (
    "gp3_gib_month",
    "gp3_iops_month",
    "gp3_mibps_month",
    "nat_hour",
    "endpoint_hour",
    "nlb_hour",
    "transit_attachment_hour",
    "nat_gb",
    "endpoint_gb",
    "zone_gb",
    "flow_log_s3_gb",
    "flow_log_parquet_gb",
    "logs_gb",
    "logs_infrequent_gb",
    "logs_gb_month",
)
"""What each region has a price of, besides instance types (`ec2`, an hour, Linux, on demand)."""

EVERYWHERE = (
    "eks_hour",
    "eks_extended_hour",
    "eks_tier_xl_hour",
    "eks_tier_2xl_hour",
    "eks_tier_4xl_hour",
    "eks_tier_8xl_hour",
    "public_ipv4_hour",
    "kms_key_month",
)
"""What costs the same in all regions."""


class InvalidPrices(Exception):
    """Why the table is of no use: a sentence."""


@dataclass(frozen=True)
class Source:
    """Where some prices are from, and from which day: `2026-07-20`."""

    prices: str
    date: str
    origin: str


@dataclass(frozen=True)
class Prices:
    """The table."""

    sources: Sequence[Source]
    everywhere: Mapping[str, float]
    regions: Mapping[str, Mapping[str, float]]
    ec2: Mapping[str, Mapping[str, float]]

    def price(self, key: str, region: str) -> float | None:
        """A price by its key, an instance type with `ec2/` before it; None where the table has none."""
        kind, _, name = key.partition("/")
        if kind == "ec2":
            return self.ec2.get(region, {}).get(name)
        return self.everywhere.get(key, self.regions.get(region, {}).get(key))

    @property
    def oldest(self) -> str:
        """The day of the oldest prices."""
        return min(source.date for source in self.sources)


@cache
def prices(file: Path = FILE) -> Prices:
    """The table of a file. Raises InvalidPrices."""
    try:
        content = json.loads(file.read_text())
        if not content["sources"]:
            raise ValueError("no source")
        return Prices(
            sources=[
                Source(source["prices"], source["date"], source["from"]) for source in content["sources"]
            ],
            everywhere=_amounts(content["everywhere"]),
            regions={
                region: _amounts({key: value for key, value in entry.items() if key != "ec2"})
                for region, entry in content["regions"].items()
            },
            ec2={region: _amounts(entry["ec2"]) for region, entry in content["regions"].items()},
        )
    except (OSError, json.JSONDecodeError) as error:
        raise InvalidPrices(f"{file} cannot be read ({error}): restore it, or run `moka prices`.") from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidPrices(f"{file} is no table of prices ({error!r}): run `moka prices`.") from None


def _amounts(entry: Mapping[str, object]) -> Mapping[str, float]:
    for key, value in entry.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
            raise ValueError(f"{key} is {value!r}")
    return {key: float(str(value)) for key, value in entry.items()}


def dumps(table: Prices) -> str:
    """The table as its file has it: a line a family of instance types, so that changes can be read."""
    regions = [
        f"    {json.dumps(region)}: {{\n{_entries(entry)},\n"
        f'      "ec2": {{{_families(table.ec2.get(region, {}))}}}\n    }}'
        for region, entry in table.regions.items()
    ]
    sources = [
        json.dumps({"prices": source.prices, "date": source.date, "from": source.origin})
        for source in table.sources
    ]
    return (
        '{\n  "currency": "USD",\n  "sources": [\n    '
        + ",\n    ".join(sources)
        + f'\n  ],\n  "everywhere": {json.dumps(dict(table.everywhere))},\n  "regions": {{\n'
        + ",\n".join(regions)
        + "\n  }\n}\n"
    )


def _entries(entry: Mapping[str, float]) -> str:
    return ",\n".join(f"      {json.dumps(key)}: {value:g}" for key, value in entry.items())


def _families(types: Mapping[str, float]) -> str:
    families: dict[str, list[str]] = {}
    for name in sorted(types):
        families.setdefault(name.partition(".")[0], []).append(f"{json.dumps(name)}: {types[name]:.10g}")
    return "".join(
        f"{'' if i == 0 else ','}\n        {', '.join(line)}" for i, line in enumerate(families.values())
    ) + ("\n      " if families else "")
