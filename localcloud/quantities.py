"""Kubernetes' quantities."""

from decimal import Decimal

SUFFIXES = {
    **{suffix: Decimal(1000) ** power for power, suffix in enumerate(("k", "M", "G", "T", "P", "E"), 1)},
    **{
        suffix: Decimal(2) ** (10 * power)
        for power, suffix in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), 1)
    },
    **{suffix: Decimal(1000) ** -power for power, suffix in enumerate(("m", "u", "n"), 1)},
}


def quantity(value: str | float) -> Decimal:
    """The number that a quantity (`500m`, `1Gi`) stands for. Raises InvalidOperation for other text."""
    text = str(value)
    suffix = next((end for end in (text[-2:], text[-1:]) if end in SUFFIXES), "")
    return Decimal(text.removesuffix(suffix)) * SUFFIXES.get(suffix, 1)
