import pytest

from doctor.checks import capacity
from tests.support.aws_stubs import lines

RESERVATION = "cr-0123456789abcdef0"


def reserved(written):
    group = written["clusters"]["spark-a"]["node_groups"]["driver"]
    group.update(capacity_reservations={"us-east-1a": RESERVATION}, zones=["us-east-1a"])


def answering(answer):
    if isinstance(answer, dict):
        usual = {
            "State": "active",
            "AvailabilityZone": "us-east-1a",
            "InstanceType": "r6i.2xlarge",
            "TotalInstanceCount": 4,
        }
        answer = {"CapacityReservations": [{**usual, **answer}]}
    return {"ec2": [("describe_capacity_reservations", {"CapacityReservationIds": [RESERVATION]}, answer)]}


@pytest.mark.parametrize(
    ("answer", "finding"),
    [
        ({}, "ok main/spark-a Node group driver: capacity reservation {} has 4 r6i.2xlarge in us-east-1a."),
        (
            {"State": "expired"},
            "problem main/spark-a Node group driver: capacity reservation {} is expired. Make a new one, or "
            "leave "
            "it out.",
        ),
        (
            {"AvailabilityZone": "us-east-1c"},
            "problem main/spark-a Node group driver: capacity reservation {} is in us-east-1c, not in "
            "us-east-1a. "
            "Correct the zone.",
        ),
        (
            {"InstanceType": "r5.large"},
            "problem main/spark-a Node group driver: capacity reservation {} is for r5.large, and the group "
            "has "
            "r6i.2xlarge. Make it r5.large, the only type of the group.",
        ),
        (
            {"TotalInstanceCount": 2},
            "warning main/spark-a Node group driver: capacity reservation {} has 2 machines, and the group "
            "may "
            "have 4 in us-east-1a. Machines beyond it do not start: raise it, or lower the maximum.",
        ),
        (
            "InvalidCapacityReservationId.NotFound",
            "problem main/spark-a Node group driver: capacity reservation {} is not in 123456789012, "
            "us-east-1. "
            "Correct its id, or leave it out.",
        ),
    ],
)
def test_a_capacity_reservation_is_what_its_group_needs_or_a_problem(place, answer, finding):
    stubbed = answering(answer)

    assert lines(capacity.reservations, place(reserved, stubbed=stubbed)) == [finding.format(RESERVATION)]


@pytest.mark.parametrize(
    ("total", "finding"),
    [
        (8, "ok main/spark-a Node group driver: capacity reservation {} has 8 r6i.2xlarge in us-east-1a."),
        (
            7,
            "warning main/spark-a Node group driver: capacity reservation {} has 7 machines for two "
            "generations, each of which may have 4 in us-east-1a. What the earlier one has the present one "
            "does not get until it goes: raise it for that time, or wait.",
        ),
    ],
)
def test_two_generations_need_more_than_one(place, total, finding):
    def changed(written):
        reserved(written)
        group = written["clusters"]["spark-a"]["node_groups"]["driver"]
        group.update(generation=2, retiring={1: {"instance_types": ["r6i.2xlarge"]}})

    stubbed = answering({"TotalInstanceCount": total})

    assert lines(capacity.reservations, place(changed, stubbed=stubbed)) == [finding.format(RESERVATION)]
