"""Amounts of cores and memory as Kubernetes and Spark write them, and durations as Go does.

In the code they are numbers: thousandths of a core, bytes or MiB, seconds.
"""

import re
from collections.abc import Mapping
from fractions import Fraction

Number = int | Fraction

MIB = 2**20

DECIMAL: Mapping[str, Number] = {
    unit: Fraction(1000) ** power for power, unit in enumerate(("n", "u", "m", "", *"kMGTPE"), start=-3)
}
BINARY: Mapping[str, Number] = {
    unit: 1024**power for power, unit in enumerate(("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"))
}
"""Units of Kubernetes quantities, from small to large."""

UNITS = {**DECIMAL, **BINARY}
CPU_UNITS: Mapping[str, int] = {"m": 1, "": 1000}
MEMORY_UNITS: Mapping[str, int] = {"": 1, "Mi": MIB, "Gi": 2**30, "Ti": 2**40}

SPARK_MIB = {"m": 1, "mi": 1, "g": 1024, "gi": 1024, "t": 1024**2, "ti": 1024**2}
"""Spark's units and Kubernetes', which in memory of a job are the same: 8g is 8Gi."""

DURATION_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}


def millicores(quantity: str) -> int:
    """Thousandths of a core in a Kubernetes quantity: `4`, `1.5`, `500m`, `2k`.

    Raises ValueError when it is none.
    """
    return int(_value(quantity) * 1000)


def memory_bytes(quantity: str) -> int:
    """Bytes in a Kubernetes quantity: `512Mi`, `64Gi`, `1T`.

    Raises ValueError when it is none.
    """
    return int(_value(quantity))


def mebibytes(quantity: str) -> int:
    """MiB in a Kubernetes quantity, rounded down. Raises ValueError when it is none."""
    return memory_bytes(quantity) // MIB


def spark_mebibytes(amount: str) -> int:
    """MiB in memory as a job says it: `8g`, `8Gi`, `512m`, `512Mi`.

    Raises ValueError when it is none.
    """
    match = re.fullmatch(r"(\d+)(m|mi|g|gi|t|ti)", amount.lower())
    if match is None:
        raise ValueError("write memory as 8g or 512m")
    return int(match[1]) * SPARK_MIB[match[2]]


def duration_seconds(duration: str) -> float | None:
    """Seconds in a duration as Go writes it, `1h30m` or `1.5s`; None where it is none."""
    parts = re.findall(r"(\d+(?:\.\d+)?)(h|ms|m|s)", duration)
    if not parts or "".join(number + unit for number, unit in parts) != duration:
        return None
    return sum(float(number) * DURATION_SECONDS[unit] for number, unit in parts)


def canonical(quantity: str) -> str:
    """A quantity in the unit in which the API server gives it back: `10000` as `10k`, `2048Gi` as `2Ti`.

    Otherwise a refresh would find a change that nobody made. Raises ValueError when it is none.
    """
    return _in_largest_unit(_value(quantity), BINARY if quantity.endswith("i") else DECIMAL)


def cpu_quantity(thousandths: int) -> str:
    """Thousandths of a core as a Kubernetes quantity: whole cores, `16`, or else `500m`."""
    return _in_largest_unit(thousandths, CPU_UNITS)


def memory_quantity(size: int) -> str:
    """Bytes as a Kubernetes quantity, in the largest of Mi, Gi and Ti that tells it exactly."""
    return _in_largest_unit(size, MEMORY_UNITS)


def cores_text(thousandths: int) -> str:
    """Thousandths of a core, for a message: `7.5 cores`."""
    number = f"{thousandths / 1000:.2f}".rstrip("0").rstrip(".")
    return f"{number} core" + ("" if number == "1" else "s")


def gib_text(mib: int) -> str:
    """MiB, for a message: `60.5 GiB`."""
    return f"{mib / 1024:.1f}".removesuffix(".0") + " GiB"


def _value(quantity: str) -> Fraction:
    """Cores or bytes."""
    match = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)([numkMGTPE]?|[KMGTPE]i)", quantity)
    if match is None:
        raise ValueError(f"{quantity!r} is no quantity such as 4, 500m or 64Gi")
    return Fraction(match[1]) * UNITS[match[2]]


def _in_largest_unit(value: Number, units: Mapping[str, Number]) -> str:
    """The value in the largest unit that tells it exactly."""
    if not value:
        return "0"
    unit, size = [(unit, size) for unit, size in units.items() if value % size == 0][-1]
    return f"{value // size}{unit}"
