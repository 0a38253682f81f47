"""Amounts of cores and memory, as Kubernetes and Spark write them."""

import re
from fractions import Fraction

BYTES = {
    "": 1,
    "k": 10**3,
    "M": 10**6,
    "G": 10**9,
    "T": 10**12,
    "P": 10**15,
    "Ki": 2**10,
    "Mi": 2**20,
    "Gi": 2**30,
    "Ti": 2**40,
    "Pi": 2**50,
}
MIB = {"m": 1, "mi": 1, "g": 1024, "gi": 1024, "t": 1024**2, "ti": 1024**2}
"""Spark's units and Kubernetes', which in memory of a job are the same: 8g is 8Gi."""


def millicores(quantity: str) -> int:
    """Thousandths of a core in a Kubernetes quantity: `4`, `1.5`, `500m`, `2k`.

    Raises ValueError when it is none.
    """
    number, unit = _split(quantity)
    if unit == "m":
        return int(number)
    return int(number * BYTES[unit] * 1000)


def mebibytes(quantity: str) -> int:
    """MiB in a Kubernetes quantity: `512Mi`, `64Gi`, `1T`.

    Raises ValueError when it is none.
    """
    number, unit = _split(quantity)
    return int(number / 1000 // 2**20) if unit == "m" else int(number * BYTES[unit] // 2**20)


def job_mebibytes(amount: str) -> int:
    """MiB in memory as a job says it: `8g`, `8Gi`, `512m`, `512Mi`.

    Raises ValueError when it is none.
    """
    read = re.fullmatch(r"(\d+)(m|mi|g|gi|t|ti)", amount.lower())
    if read is None:
        raise ValueError("write memory as 8g or 512m")
    return int(read[1]) * MIB[read[2]]


def gibibytes(mib: int) -> str:
    """MiB, to be read: `60.5 GiB`."""
    return f"{mib / 1024:.1f}".removesuffix(".0") + " GiB"


def cores(thousandths: int) -> str:
    """Thousandths of a core, to be read: `7.5 cores`."""
    number = f"{thousandths / 1000:.2f}".rstrip("0").rstrip(".")
    return f"{number} core" + ("" if number == "1" else "s")


def _split(quantity: str) -> tuple[Fraction, str]:
    read = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)(m|k|[MGTP]|[KMGTP]i)?", quantity)
    if read is None:
        raise ValueError(f"{quantity!r} is no quantity such as 4, 500m or 64Gi")
    return Fraction(read[1]), read[2] or ""
