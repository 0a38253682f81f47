from ipaddress import IPv4Network, collapse_addresses

import pytest

from moka.pod_subnets import interface_addresses, prefix_reservations, prefixes

# What a pod range of /16 to /20 gives a zone: all of it, or a quarter.
SUBNETS = [f"100.64.0.0/{length}" for length in range(16, 23)]


def test_all_of_a_subnet_but_its_first_sixteenth_is_for_prefixes():
    assert prefix_reservations("100.64.64.0/18") == [
        "100.64.96.0/19",
        "100.64.80.0/20",
        "100.64.72.0/21",
        "100.64.68.0/22",
    ]


@pytest.mark.parametrize("subnet", SUBNETS)
def test_ranges_of_prefixes_do_not_overlap_and_are_within_the_subnet(subnet):
    first_sixteenth = next(IPv4Network(subnet).subnets(prefixlen_diff=4))
    parts = [first_sixteenth, *map(IPv4Network, prefix_reservations(subnet))]

    assert sum(part.num_addresses for part in parts) == IPv4Network(subnet).num_addresses
    assert list(collapse_addresses(parts)) == [IPv4Network(subnet)]


@pytest.mark.parametrize("subnet", SUBNETS)
def test_primary_addresses_never_run_out_before_prefixes_do(subnet):
    # The worst case is an interface for every prefix.
    assert prefixes(subnet) <= interface_addresses(subnet)


def test_what_aws_keeps_of_a_subnet_nobody_counts_on():
    # 1,024 addresses: 64 for interfaces, 60 prefixes.
    assert (interface_addresses("100.64.0.0/22"), prefixes("100.64.0.0/22")) == (60, 59)
