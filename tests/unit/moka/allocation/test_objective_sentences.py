import pytest

from moka.allocation.fleet import OBJECTIVES, NodeWorth, Objective
from moka.allocation.objective_sentences import reached, worth


@pytest.mark.parametrize(
    ("name", "value", "bound", "before", "says"),
    [
        (
            "peak",
            930,
            920,
            970,
            "The fullest cluster is 93% full in its fullest hour; no plan gets below 92%, and today it is "
            "97%.",
        ),
        (
            "balance",
            373,
            373,
            373,
            "Over a day the fullest cluster is 37.3% full on average; no plan gets below that, and today it "
            "is the same.",
        ),
        ("slack of tier 1", 0, 0, 0, "Workflows of tier 1 lack nothing of what they ask for."),
        (
            "slack of tier 2",
            0,
            0,
            12_300,
            "Workflows of tier 2 lack nothing of what they ask for; today they lack 12.3 machine-hours a "
            "day.",
        ),
        (
            "slack of tier 3",
            1_500,
            1_000,
            2_000_000,
            "Workflows of tier 3 lack 1.5 machine-hours a day of what they ask for; no plan gets below 1.0 "
            "machine-hours, and today it is 2,000.0 machine-hours.",
        ),
        ("moves", 0, 0, 0, "No workflow goes to another cluster."),
        (
            "moves",
            1,
            1,
            0,
            "1 workflow goes to another cluster; no plan that is as good otherwise gets by with fewer.",
        ),
        (
            "moves",
            229,
            227,
            0,
            "229 workflows go to another cluster; no plan that is as good otherwise gets by with fewer than "
            "227.",
        ),
    ],
)
def test_what_is_reached_is_said_in_units_of_the_field(name, value, bound, before, says):
    assert reached(Objective(name=name, value=value, bound=bound, before=before)) == says


@pytest.mark.parametrize(
    ("name", "gain", "says"),
    [
        (
            "peak",
            1.23,
            "One more machine would make the fullest cluster 0.12 percentage points less full in its fullest "
            "hour.",
        ),
        (
            "slack of tier 2",
            2_500,
            "One more machine would give workflows of tier 2 2.5 machine-hours a day of what they lack.",
        ),
    ],
)
def test_what_a_machine_buys_is_a_sentence(name, gain, says):
    assert worth(NodeWorth(cluster="batch-a", objective=name, gain=gain)) == says


def test_every_objective_has_its_sentence():
    said = [reached(Objective(name=name, value=7, bound=6, before=8)) for name in OBJECTIVES]
    bought = [worth(NodeWorth(cluster="batch-a", objective=name, gain=70)) for name in OBJECTIVES]

    assert len({*said}) == len({*bought}) == len(OBJECTIVES)
