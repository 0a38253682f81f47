import pytest

from moka.control_plane_tiers import smallest_for
from moka.sizes.yunikorn import api_requests_per_second


def test_a_larger_cluster_has_more_requests_up_to_what_the_largest_api_server_bears():
    assert [api_requests_per_second(nodes) for nodes in (1, 250, 1_000, 10_000)] == [50, 50, 200, 400]


@pytest.mark.parametrize(
    ("tier", "requests"), [("tier-xl", 167), ("tier-2xl", 283), ("tier-4xl", 400), ("tier-8xl", 400)]
)
def test_a_cluster_sends_no_more_than_its_tier_is_for(tier, requests):
    assert api_requests_per_second(10_000, tier) == requests
    assert api_requests_per_second(250, tier) == 50


@pytest.mark.parametrize(
    ("requests", "tier"), [(50, "tier-xl"), (168, "tier-2xl"), (284, "tier-4xl"), (1_000, "tier-4xl")]
)
def test_the_smallest_tier_that_is_enough_is_named(requests, tier):
    assert smallest_for(requests) == tier
