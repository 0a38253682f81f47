"""Where subnets of awsx.ec2.Vpc lie; the expected ranges are those of pulumi-awsx's own tests and docs."""

import pytest

from localcloud.errors import Refusal
from localcloud.plugins.awsx.layout import SubnetSpec, spec_of, subnets

ZONES = ("us-east-1a", "us-east-1b", "us-east-1c")


def ranges(*specs, network="10.0.0.0/16", strategy="Legacy", zones=ZONES, zone_mask=None):
    placed = subnets("net", network, zones, list(specs) or None, strategy, zone_mask)
    return {subnet.name: subnet.range for subnet in placed}


@pytest.mark.parametrize("strategy", ["Legacy", "Auto"])
def test_by_default_a_zone_has_a_private_half_and_a_public_quarter(strategy):
    # defaultSubnetInputs of subnetDistributorNew.ts: /19 and /20 of a /16 in three zones.
    assert ranges(strategy=strategy) == {
        "net-public-1": "10.0.32.0/20",
        "net-private-1": "10.0.0.0/19",
        "net-public-2": "10.0.96.0/20",
        "net-private-2": "10.0.64.0/19",
        "net-public-3": "10.0.160.0/20",
        "net-private-3": "10.0.128.0/19",
    }


def test_auto_places_specs_in_their_order_and_legacy_private_ones_first():
    specs = (SubnetSpec("Public", mask=24), SubnetSpec("Private", mask=22))
    one = ("us-east-1a",)

    assert ranges(*specs, strategy="Auto", zones=one) == {
        "net-public-1": "10.0.0.0/24", "net-private-1": "10.0.4.0/22",
    }  # fmt: skip
    assert ranges(*specs, strategy="Legacy", zones=one) == {
        "net-public-1": "10.0.4.0/24", "net-private-1": "10.0.0.0/22",
    }  # fmt: skip


def test_what_is_unused_is_left_out_and_a_size_is_a_mask():
    unused = spec_of({"type": "Unused", "size": 4096})
    private = spec_of({"type": "private", "name": "pods", "cidrMask": 20.0})

    assert ranges(unused, private, strategy="Auto", zones=("us-east-1a",)) == {"net-pods-1": "10.0.16.0/20"}


def test_named_ranges_are_taken_as_they_are():
    spec = SubnetSpec("Isolated", ranges=("10.0.1.0/24", "10.0.2.0/24", "10.0.3.0/24"))

    assert list(ranges(spec, strategy="Exact").values()) == ["10.0.1.0/24", "10.0.2.0/24", "10.0.3.0/24"]


def test_a_zone_may_have_a_range_of_its_own_size():
    placed = ranges(strategy="Auto", zone_mask=20)

    assert placed["net-private-2"] == "10.0.16.0/21"


def test_subnets_that_do_not_fit_and_types_that_there_are_not_are_refused():
    with pytest.raises(
        Refusal, match=r"too large: one of .* is not in 10.0.0.0/18, which a zone has; take larger"
    ):
        ranges(SubnetSpec("Private", "a", 17), strategy="Auto")
    with pytest.raises(
        Refusal, match="A subnet of type Hidden: take one of Public, Private, Isolated, Unused"
    ):
        spec_of({"type": "Hidden"})
