"""How often a shuffled byte goes from one zone to another, which both sides pay for."""

from collections.abc import Collection
from dataclasses import dataclass

SIDES = 2
USD_A_GB = 0.01
"""What is sent to another zone is charged where it leaves and where it arrives, so much each:
https://aws.amazon.com/ec2/pricing/on-demand/#Data_Transfer_within_the_same_AWS_Region"""


@dataclass(frozen=True, kw_only=True)
class Workers:
    """What keeps shuffled bytes in place of executors.

    zones: of the workers. replicate: on two of them, in two zones if there are several.
    """

    zones: Collection[str]
    replicate: bool


def crossings(executors: Collection[str], workers: Workers | None = None) -> float:
    """How often a byte that is shuffled goes to another zone, on average.

    executors: zones in which those of a job are, evenly, as workers are in theirs.

    Without workers an executor fetches it from another once. With workers it is pushed to one, copied to a
    second, and fetched once.
    """
    if workers is None:
        return share_between(executors, executors)
    copied = 1.0 if workers.replicate and len(set(workers.zones)) > 1 else 0.0
    return 2 * share_between(executors, workers.zones) + copied


def usd_a_tb(times: float) -> float:
    """What a TB costs of which each byte goes to another zone so often, at the list price."""
    return times * SIDES * USD_A_GB * 1000


def share_between(some: Collection[str], others: Collection[str]) -> float:
    """Of pairs of one and another, those in two zones: two thirds between three zones and the same three."""
    pairs = len(set(some)) * len(set(others))
    return 1 - len(set(some) & set(others)) / pairs if pairs else 0.0
