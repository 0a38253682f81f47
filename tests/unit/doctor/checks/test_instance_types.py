from doctor.checks.instance_types import offerings
from tests.support.aws_stubs import lines


def in_zones(*names):
    def change(written):
        written["foundations"]["main"]["network"]["zones"] = list(names)

    return change


def with_types(group, *types):
    def change(written):
        written["clusters"]["spark-a"]["node_groups"][group]["instance_types"] = list(types)

    return change


def test_types_that_every_zone_offers_are_fine(place):
    assert lines(offerings, place()) == [
        "ok main/spark-a All 5 instance types are offered in us-east-1a, us-east-1b and us-east-1c."
    ]


def test_a_zone_without_any_type_of_a_group_is_a_problem_and_names_the_zones_that_do(place):
    findings = lines(offerings, place(in_zones("us-east-1a", "us-east-1e")))

    assert (
        "problem main/spark-a Node group system: us-east-1e offers no m7g.2xlarge, so no machine starts "
        "there. Add an instance type that it offers, or set the group's zones to us-east-1a." in findings
    )


def test_a_zone_that_lacks_some_types_of_a_group_is_a_warning(place):
    findings = lines(
        offerings,
        place(in_zones("us-east-1a", "us-east-1e"), with_types("driver", "m5.2xlarge", "i4i.2xlarge")),
    )

    assert [line for line in findings if "driver" in line] == [
        "warning main/spark-a Node group driver: us-east-1e does not offer m5.2xlarge. "
        "Only the others can start there."
    ]
