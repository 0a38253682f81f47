"""Shares of an amount by weight."""

from collections.abc import Iterable, Mapping
from itertools import takewhile

from moka.quantities import MIB
from moka.queues.resources import RESOURCES, Resources

STEPS = {"cpu": (1000, 1), "memory": (2**30, MIB), "gpu": (1,)}
"""What shares are whole multiples of: the first of which the smallest share has a hundred, else the last."""

ENOUGH = 100


def by_weight(pool: Resources, weights: Mapping[str, int]) -> dict[str, Resources]:
    """Share a pool out, to the last bit of it: the shares add up to the pool.

    weights: of each, by name, all more than zero. What is over after rounding down goes to the largest
    remainders, by name where they are equal. Of what is too little for all, some get none.
    """
    shares: dict[str, dict[str, int]] = {who: {} for who in weights}
    for name, amount in pool.amounts():
        for who, share in _divided(amount, weights, STEPS[name]).items():
            if share:
                shares[who][name] = share
    return {who: Resources(**share) for who, share in shares.items()}


def rest(pool: Resources, taken: Iterable[Resources]) -> Resources:
    """What is left of a pool; below zero where more was taken."""
    gone = list(taken)
    return Resources(
        **{name: amount - sum(each.get(name) or 0 for each in gone) for name, amount in pool.amounts()}
    )


def percent(pool: Resources, percents: int) -> Resources:
    """So many hundredths of a pool, rounded down."""
    return Resources(
        **{
            name: _whole(amount * percents // 100, _step(amount * percents // 100, STEPS[name]))
            for name, amount in pool.amounts()
        }
    )


def total(parts: Iterable[Resources]) -> Resources:
    """All of them together."""
    known = list(parts)
    return Resources(
        **{
            name: sum(each.get(name) or 0 for each in known)
            for name in RESOURCES
            if any(each.get(name) is not None for each in known)
        }
    )


def _divided(amount: int, weights: Mapping[str, int], steps: tuple[int, ...]) -> dict[str, int]:
    if not weights or amount <= 0:
        return {}
    heavy = sum(weights.values())
    step = _step(amount * min(weights.values()) // heavy, steps)
    # What is no whole number of steps goes with the first that gets one more, so that nothing is lost.
    units, over = divmod(amount, step)
    shares = {who: units * weight // heavy for who, weight in weights.items()}
    left = units - sum(shares.values())
    first = sorted(weights, key=lambda who: (-(units * weights[who] % heavy), who))
    for who in first[:left]:
        shares[who] += 1
    made = {who: share * step for who, share in shares.items()}
    made[first[0]] += over
    return made


def _step(amount: int, steps: tuple[int, ...]) -> int:
    too_large = list(takewhile(lambda step: amount < ENOUGH * step, steps))
    return steps[min(len(too_large), len(steps) - 1)]


def _whole(amount: int, step: int) -> int:
    return amount // step * step
