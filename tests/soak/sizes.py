"""How much the tests that take long do: what a run of all of them allows, or all that they were made for."""

import os

FULL = os.environ.get("MOKA_SOAK") == "full"

SIZES = {
    "MOKA_APPLICATIONS": (50, 500),
    "MOKA_ARCHER_APPLICATIONS": (50, 500),
    "MOKA_ARCHER_FAULTS": (2, 20),
    "MOKA_ARCHER_JOBS": (1_000, 50_000),
    "MOKA_KILLS": (9, 50),
    "MOKA_NODES": (2_000, 2_000),
    "MOKA_WALK_STEPS": (6, 100),
}
"""Variable that says it -> its default, and the default with `MOKA_SOAK=full`."""


def size(variable: str) -> int:
    """How many there are of what a variable names."""
    usual, full = SIZES[variable]
    return int(os.environ.get(variable) or (full if FULL else usual))
