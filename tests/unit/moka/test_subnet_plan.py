import ipaddress
import itertools

import pytest

from moka.subnet_plan import subnet_plans

ZONES = ("us-east-1a", "us-east-1b", "us-east-1c")
PODS = ("100.64.0.0/16",)


def test_subnets_lie_in_the_network_and_never_overlap():
    plans = subnet_plans("10.0.0.0/16", ZONES)

    subnets = [ipaddress.ip_network(cidr) for plan in plans for cidr in (plan.public, plan.private)]
    assert all(subnet.subnet_of(ipaddress.ip_network("10.0.0.0/16")) for subnet in subnets)
    assert not any(first.overlaps(second) for first, second in itertools.combinations(subnets, 2))


def test_one_more_zone_moves_no_other():
    assert subnet_plans("10.0.0.0/16", ZONES)[:2] == subnet_plans("10.0.0.0/16", ZONES[:2])


@pytest.mark.parametrize("zones", [(), ("us-east-1a",), ("us-east-1a", "us-east-1a"), (*ZONES, "us-east-1d")])
def test_a_network_of_too_few_too_many_or_repeated_zones_is_refused(zones):
    with pytest.raises(ValueError, match="two or three different zones"):
        subnet_plans("10.0.0.0/16", zones)


def test_with_a_range_a_zone_each_zone_has_all_of_its_own():
    ranges = ("100.64.0.0/16", "100.65.0.0/16", "100.66.0.0/16")

    assert [plan.pods for plan in subnet_plans("10.0.0.0/16", ZONES, ranges)] == list(ranges)


def test_one_more_zone_moves_no_pods():
    shared = subnet_plans("10.0.0.0/16", ZONES, PODS)
    assert shared[:2] == subnet_plans("10.0.0.0/16", ZONES[:2], PODS)

    ranges = ("100.64.0.0/16", "100.65.0.0/16", "100.66.0.0/16")
    own = subnet_plans("10.0.0.0/16", ZONES, ranges)
    assert own[:2] == subnet_plans("10.0.0.0/16", ZONES[:2], ranges[:2])


def test_ranges_for_pods_that_do_not_go_round_the_zones_are_refused():
    with pytest.raises(ValueError, match="2 ranges for pods do not fit 3 zones"):
        subnet_plans("10.0.0.0/16", ZONES, ("100.64.0.0/16", "100.65.0.0/16"))
