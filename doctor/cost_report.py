"""The estimate of costs as people and scripts read it."""

import json
from collections.abc import Mapping, Sequence
from typing import get_args

from doctor.cost import ASSUMPTIONS, PRICED_REGION, Kind, Line
from moka.prices import Prices


def text(environment: str, lines: Sequence[Line], assumptions: Mapping[str, float], prices: Prices) -> str:
    """A table of what costs, the sums, and all that it rests on."""
    rows = [
        (line.where, line.kind, line.what, f"{line.amount:,.0f} {line.unit}", _price(line), _dollars(line))
        for line in lines
    ]
    header = ("where", "what for", "of which", "a month", "USD a unit", "USD a month")
    paragraphs = [
        _table([header, *rows]),
        "\n".join(f"{kind}: ${amount:,.0f} a month" for kind, amount in sums(lines).items()),
        f"{environment}: ${sum(line.cost for line in lines):,.0f} a month, an estimate, without machines and "
        "disks (`moka report` has them) and what S3 stores.",
        "Assumed, each with --assume NAME=VALUE:\n"
        + _table(
            [(f"  {name}", f"{value:g}", ASSUMPTIONS[name].meaning) for name, value in assumptions.items()]
        ),
        f"Prices: AWS's list prices, on demand and without discounts, the oldest of {prices.oldest}.",
    ]
    if any(line.elsewhere for line in lines):
        paragraphs[-1] += f" * is of {PRICED_REGION}: `moka prices --refresh` asks for the region's own."
    if any(line.price is None for line in lines):
        paragraphs[-1] += " Of ? no price is known, and it is not in the sum."
    return "\n\n".join(paragraphs)


def sums(lines: Sequence[Line]) -> dict[str, float]:
    """Kind -> USD a month."""
    return {
        kind: sum(line.cost for line in lines if line.kind == kind)
        for kind in get_args(Kind)
        if any(line.kind == kind for line in lines)
    }


def as_json(environment: str, lines: Sequence[Line], assumptions: Mapping[str, float], prices: Prices) -> str:
    """The same for scripts."""
    return json.dumps(
        {
            "environment": environment,
            "usd_a_month": round(sum(line.cost for line in lines), 2),
            "sums": {kind: round(amount, 2) for kind, amount in sums(lines).items()},
            "lines": [
                {
                    "where": line.where,
                    "kind": line.kind,
                    "what": line.what,
                    "amount": round(line.amount, 3),
                    "unit": line.unit,
                    "price": line.price,
                    "price_of": PRICED_REGION if line.elsewhere else "its region",
                    "usd_a_month": round(line.cost, 2),
                }
                for line in lines
            ],
            "assumptions": dict(assumptions),
            "prices_of": prices.oldest,
        },
        indent=2,
    )


def _price(line: Line) -> str:
    return "?" if line.price is None else f"{line.price:g}{'*' if line.elsewhere else ''}"


def _dollars(line: Line) -> str:
    return "?" if line.price is None else f"{line.cost:,.2f}"


def _table(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
