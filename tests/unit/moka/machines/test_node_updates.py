import pytest

from aws_rules.eks import capacity
from moka.machines.node_updates import surge


@pytest.mark.parametrize(
    "nodes, zones, percent, more",
    [
        (30, 3, 10, 6),
        # The example of EKS's guide: of five zones, 10 machines, or 20 where so many are replaced at a time.
        (10, 5, 10, 10),
        (40, 5, 50, 20),
        (5_000, 3, 10, 100),
        (0, 3, 10, 0),
    ],
)
def test_an_update_brings_two_machines_a_zone_or_a_wave_as_the_laptop_has_it(nodes, zones, percent, more):
    assert surge(nodes, zones, percent) == more
    assert capacity.surge({"maxUnavailablePercentage": percent}, nodes, zones) == more
