import pytest

from moka.jobs.job import DynamicAllocation
from moka.machines.profiles import PROFILES, node_order


@pytest.mark.parametrize("profile", PROFILES)
def test_a_node_stays_longer_than_an_executor_that_has_nothing_to_do(profile):
    idle = DynamicAllocation.model_fields["idle_seconds"].default

    assert PROFILES[profile].idle_minutes * 60 > idle


@pytest.mark.parametrize(
    ("profile", "autoscaled", "order"),
    [
        ("batch", False, "fair"),
        ("batch", True, "binpacking"),
        ("adhoc", False, "binpacking"),
        ("adhoc", True, "binpacking"),
    ],
)
def test_pods_are_spread_only_where_no_machine_has_to_become_empty(profile, autoscaled, order):
    assert node_order(profile, autoscaled=autoscaled) == order
