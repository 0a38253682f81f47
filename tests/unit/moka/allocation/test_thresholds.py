from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moka.allocation.rules import TIERS, InvalidRules, Rules, Threshold
from moka.allocation.thresholds import find
from tests.unit.moka.allocation.worked import TIER_1, TIER_2, TIER_3, WINDOW, worked_curves

WORKED = dict(zip(TIERS, sorted(worked_curves(), key=lambda curve: curve.queue), strict=True))
USED = {tier: Fraction(curve.machines, WINDOW) for tier, curve in WORKED.items()}


def worked(capacity, **rules):
    return find(
        Rules(**rules), capacity * 1000, lambda tier, percent: WORKED[tier].covering(percent).machines, USED
    )


def test_the_order_of_the_worked_curves_is_that_of_the_tiers():
    assert [curve.queue for curve in WORKED.values()] == [TIER_1, TIER_2, TIER_3]


MORE_ROOM = (
    "Tier 3 uses 64% of what it gets, less than tier 2 with 72%, whatever share of time it has: the lower "
    "tier has more room."
)


@pytest.mark.parametrize(
    ("capacity", "percents", "says"),
    [
        # 5 machines for 99% of tier 1 leave 5. Tier 2 would have 6 for 95%, and has 3 for 90%. Tier 3 has 2
        # left, of which it would use 32% where tier 2 uses 48% of its own; of 1, for 60%, it uses 64%.
        (10, {1: 99, 2: 90, 3: 60}, ()),
        # All of tier 2's 6 fit, of which it uses 24%; tier 3 uses 32% of 2, and 16% of 4.
        (20, {1: 99, 2: 95, 3: 85}, ()),
        # 5 for tier 1 and the least of the others, 2 and 1, are 8. Tier 2 uses 72% of its 2.
        (8, {1: 99, 2: 80, 3: 60}, (MORE_ROOM,)),
        # At 7, tier 1 has 2, for 95%; tier 2 has 3 again.
        (7, {1: 95, 2: 90, 3: 60}, ()),
        (5, {1: 95, 2: 80, 3: 60}, (MORE_ROOM,)),
    ],
)
def test_the_worked_cluster_gets_the_shares_that_were_worked_out(capacity, percents, says):
    found = worked(capacity)

    assert (found.percents, found.fits, found.says) == (percents, True, says)


def test_where_the_least_does_not_fit_it_is_the_answer_and_says_so():
    found = worked(4)

    assert (found.percents, found.fits) == ({1: 90, 2: 75, 3: 50}, False)


def test_a_lower_tier_that_uses_less_whatever_it_gets_is_told():
    given_to = {1: 1000, 2: 4000, 3: 1000}
    used = {1: Fraction(500), 2: Fraction(400), 3: Fraction(900)}

    found = find(Rules(), 10_000, lambda tier, percent: given_to[tier], used)

    assert found.percents == {1: 99, 2: 95, 3: 90}
    assert found.says == (
        "Tier 2 uses 10% of what it gets, less than tier 1 with 50%, whatever share of time it has: the "
        "lower tier has more room.",
    )


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"days": 0}, "days is 0: it is at least 1."),
        ({"thresholds": {1: Threshold(95, 90)}}, "thresholds: every tier, 1 to 3, has one."),
        (
            {"thresholds": {1: Threshold(95, 90), 2: Threshold(80, 85), 3: Threshold(50, 50)}},
            "tier 2 has 80 to 85: write percentages, most first.",
        ),
        (
            {"thresholds": {1: Threshold(95, 90), 2: Threshold(96, 80), 3: Threshold(50, 50)}},
            "tier 2 is above tier 1: they fall from tier 1 to 3.",
        ),
        (
            {"thresholds": {1: Threshold(95, 90), 2: Threshold(90, 60), 3: Threshold(80, 70)}},
            "tier 3 is above tier 2",
        ),
    ],
)
def test_rules_that_contradict_themselves_are_refused(changes, says):
    with pytest.raises(InvalidRules, match=says):
        Rules(**changes)


Staircase = st.lists(st.integers(0, 6), min_size=11, max_size=11).map(
    lambda steps: [sum(steps[: index + 1]) for index in range(11)]
)


@given(
    st.tuples(Staircase, Staircase, Staircase),
    st.integers(0, 80),
    st.tuples(*[st.integers(0, 30)] * 3),
)
def test_the_shares_are_the_highest_that_fit_tier_1_first(staircases, capacity, used):
    def given_to(tier, percent):
        return staircases[tier - 1][percent - 90]

    def usage(tier, percent):
        amount = given_to(tier, percent)
        return Fraction(used[tier - 1], amount) if amount else None

    bounds = {1: Threshold(100, 92), 2: Threshold(98, 91), 3: Threshold(97, 90)}
    found = find(
        Rules(thresholds=bounds), capacity, given_to, {tier: Fraction(used[tier - 1]) for tier in TIERS}
    )

    assert found == find(
        Rules(thresholds=bounds), capacity, given_to, {tier: Fraction(used[tier - 1]) for tier in TIERS}
    )
    allowed = [
        (first, second, third)
        for first in range(92, 101)
        for second in range(91, min(first, 98) + 1)
        for third in range(90, min(second, 97) + 1)
        if sum(map(given_to, TIERS, (first, second, third))) <= capacity
    ]
    percents = tuple(found.percents[tier] for tier in TIERS)
    assert found.fits == bool(allowed)
    if not found.fits:
        assert percents == (92, 91, 90)
        return
    assert percents in allowed
    assert percents[0] == max(allowed)[0]
    ratios = [ratio for ratio in map(usage, TIERS, percents) if ratio is not None]
    if not found.says:
        assert ratios == sorted(ratios)
        rising = [
            triple
            for triple in allowed
            if triple[0] == percents[0]
            and (parts := [part for part in map(usage, TIERS, triple) if part is not None]) == sorted(parts)
        ]
        assert percents[1] == max(rising)[1]
