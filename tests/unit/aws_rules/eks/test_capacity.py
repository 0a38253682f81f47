import pytest

from aws_rules.eks.capacity import max_unavailable, reservation, surge
from aws_rules.eks.duration import update_minutes
from aws_rules.rule import Unknown

ZONE, TYPE = "us-east-1a", "r7gd.16xlarge"
RESERVATIONS = [
    {
        "CapacityReservationId": "cr-1",
        "InstanceType": TYPE,
        "AvailabilityZone": ZONE,
        "TotalInstanceCount": 120,
    }
]


def verdicts(id="cr-1", types=(TYPE,), zones=(ZONE,), launched=120, others=0, **more):
    return list(reservation("executors", id, RESERVATIONS, types, zones, launched, others, **more))


@pytest.mark.parametrize(
    ("update", "count", "zones", "machines"),
    [
        ({}, 6, 3, 6),
        ({"maxUnavailablePercentage": 33}, 120, 1, 40),
        ({"maxUnavailable": 1}, 120, 1, 2),
        ({"maxUnavailablePercentage": 33, "updateStrategy": "MINIMAL"}, 120, 1, 0),
        ({"updateStrategy": "DEFAULT"}, 0, 3, 0),
    ],
)
def test_an_update_launches_first_twice_the_zones_at_least_unless_told_otherwise(
    update, count, zones, machines
):
    assert surge(update, count, zones) == machines


def test_eks_replaces_at_most_a_hundred_machines_at_once():
    assert max_unavailable({"maxUnavailablePercentage": 33}, 1000) == 100


def test_a_group_that_fills_its_reservation_is_made_and_not_updated_by_launching_first():
    assert verdicts(launched=120) == []
    [refusal] = verdicts(launched=122, updating=True)
    assert refusal.code == "AsgInstanceLaunchFailures"
    assert "ReservationCapacityExceeded" in refusal.message
    assert "MINIMAL" in refusal.remedy


@pytest.mark.parametrize(
    "sabotage",
    [
        {"launched": 121},
        {"others": 1},
        {"types": ("r8gd.16xlarge",)},
        {"zones": ("us-east-1b",)},
        {"spot": True},
    ],
)
def test_machines_that_a_reservation_is_not_for_are_refused(sabotage):
    [refusal] = verdicts(**sabotage)

    assert refusal.code == "AsgInstanceLaunchFailures"
    assert "reserv" in refusal.remedy


def test_a_reservation_that_nobody_declared_is_not_known():
    [verdict] = verdicts(id="cr-2")

    assert isinstance(verdict, Unknown)
    assert "cr-2" in str(verdict)


def test_a_thousand_machines_take_longer_than_the_provider_waits():
    assert update_minutes({"maxUnavailablePercentage": 33}, 1000) > 60
    assert update_minutes({"maxUnavailable": 1}, 450, drain_minutes=15) > 15 * 450
    assert update_minutes({"maxUnavailablePercentage": 33}, 3) < 60
