import pytest

from stacks.deployed_version import OUTPUT, VARIABLE, OlderVersion, refuse_older


@pytest.mark.parametrize("deployed", ["0.9.0", "0.10.0.dev1", "0.10.0", None])
def test_a_version_goes_on_from_earlier_ones_its_own_and_those_that_kept_none(deployed):
    refuse_older("prod", {OUTPUT: deployed} if deployed else {}, "0.10.0", {})


def test_a_stack_that_a_newer_version_deployed_is_refused_with_both_ways_out():
    with pytest.raises(OlderVersion) as refusal:
        refuse_older("prod", {OUTPUT: "0.10.0"}, "0.9.0", {})

    assert str(refusal.value) == (
        "Stack prod was deployed by moka 0.10.0, and this is 0.9.0, which would take back what it does not "
        "know: use 0.10.0 or a later one, or MOKA_BACK_FROM=0.10.0 to go back on purpose."
    )


def test_going_back_is_from_the_version_that_is_named_only():
    refuse_older("prod", {OUTPUT: "0.10.0"}, "0.9.0", {VARIABLE: "0.10.0"})
    with pytest.raises(OlderVersion):
        refuse_older("prod", {OUTPUT: "0.11.0"}, "0.9.0", {VARIABLE: "0.10.0"})
