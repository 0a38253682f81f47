from doctor.checks.zones import zones
from tests.support.aws_stubs import lines


def in_zones(*names):
    def change(written):
        written["foundations"]["main"]["network"]["zones"] = list(names)

    return change


def test_zones_of_the_region_are_fine(place):
    assert lines(zones, place()) == ["ok main There are zones us-east-1a, us-east-1b and us-east-1c."]


def test_a_zone_that_the_region_lacks_is_told_with_those_that_it_has(place):
    assert lines(zones, place(in_zones("us-east-1a", "us-east-1g"))) == [
        "problem main us-east-1 has no zone us-east-1g for this account. Choose others: us-east-1a, "
        "us-east-1b, us-east-1c, us-east-1d and us-east-1f.",
        "ok main There are zones us-east-1a.",
    ]


def test_a_zone_in_which_eks_does_not_work_is_refused_by_its_id(place):
    findings = lines(zones, place(in_zones("us-east-1a", "us-east-1e")))

    assert findings[0].startswith(
        "problem main Zone us-east-1e is use1-az3 in this account, where EKS does not work."
    )
