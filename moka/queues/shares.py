"""Shares of an amount by weight."""

from collections.abc import Iterable, Mapping
from itertools import takewhile

from moka.quantities import MIB
from moka.queues.resources import Resources, total

STEPS = {"cpu": (1000, 1), "memory": (2**30, MIB), "gpu": (1,)}
"""Shares are whole multiples of the first of these of which the smallest share has enough, or of the last."""

ENOUGH_STEPS = 100


def by_weight(pool: Resources, weights: Mapping[str, int]) -> dict[str, Resources]:
    """Share a pool out, to the last bit of it: the shares add up to the pool.

    weights: by name, all more than zero. What is over after rounding down goes to the largest remainders, by
    name where they are equal. Of what is too little for all, some get none.
    """
    shares: dict[str, dict[str, int]] = {name: {} for name in weights}
    for resource, amount in pool.amounts():
        for name, share in _divide(amount, weights, STEPS[resource]).items():
            if share:
                shares[name][resource] = share
    return {name: Resources(**share) for name, share in shares.items()}


def remainder(pool: Resources, claims: Iterable[Resources]) -> Resources:
    """What is left of a pool; below zero where more was taken."""
    sum_of_claims = total(claims)
    return Resources(**{name: amount - (sum_of_claims.get(name) or 0) for name, amount in pool.amounts()})


def percent(pool: Resources, percents: int) -> Resources:
    """So many hundredths of a pool, rounded down to whole steps."""
    return Resources(**{name: part(name, amount, percents, 100) for name, amount in pool.amounts()})


def part(resource: str, amount: int, numerator: int, denominator: int) -> int:
    """A fraction of an amount, rounded down to whole steps."""
    share = amount * numerator // denominator
    return share - share % _step(share, STEPS[resource])


def _divide(amount: int, weights: Mapping[str, int], steps: tuple[int, ...]) -> dict[str, int]:
    if not weights or amount <= 0:
        return {}
    total_weight = sum(weights.values())
    step = _step(amount * min(weights.values()) // total_weight, steps)
    # What is no whole number of steps goes with the first that gets one more, so that nothing is lost.
    units, over = divmod(amount, step)
    shares = {name: units * weight // total_weight for name, weight in weights.items()}
    rest = units - sum(shares.values())
    by_remainder = sorted(weights, key=lambda name: (-(units * weights[name] % total_weight), name))
    for name in by_remainder[:rest]:
        shares[name] += 1
    amounts = {name: share * step for name, share in shares.items()}
    amounts[by_remainder[0]] += over
    return amounts


def _step(share: int, steps: tuple[int, ...]) -> int:
    too_large = list(takewhile(lambda step: share < ENOUGH_STEPS * step, steps))
    return steps[min(len(too_large), len(steps) - 1)]
