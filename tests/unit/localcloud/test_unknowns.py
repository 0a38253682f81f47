"""What rules refuse and what they do not know, as a run shows it."""

import pytest

from aws_rules.rule import Rule, Unknown, Violation
from localcloud import unknowns
from localcloud.cloud import Cloud
from localcloud.errors import Refusal

OFFERED = Rule(
    name="instance-types",
    authority="AWS",
    decides="whether a region offers an instance type",
    source="https://docs.aws.amazon.com/ec2/latest/instancetypes/ec2-instance-regions.html",
)


@pytest.fixture
def cloud(tmp_path) -> Cloud:
    return Cloud(tmp_path)


def lacking(resource: str) -> Unknown:
    return Unknown(rule=OFFERED, resource=resource, lacks="instance type m99g.large")


def test_what_a_rule_does_not_know_is_listed_once_and_refuses_nothing(cloud):
    unknowns.refuse(cloud, [lacking("node group b"), lacking("node group a"), lacking("node group b")])

    assert unknowns.noted(cloud) == [
        f"node group {name}: instance-types does not know instance type m99g.large, so nothing was refused."
        for name in ("a", "b")
    ]


def test_a_new_run_begins_with_nothing_noted(cloud):
    unknowns.note(cloud, lacking("node group a"))
    unknowns.clear(cloud)

    assert unknowns.noted(cloud) == []


def test_all_that_is_refused_is_told_at_once_with_who_refuses_it_and_what_to_do(cloud):
    violations = [
        Violation(
            rule=OFFERED,
            resource=f"node group {name}",
            code="InvalidParameterException",
            message="The requested configuration is currently not supported",
            remedy="choose a type of the region",
        )
        for name in ("a", "b")
    ]

    with pytest.raises(Refusal) as refusal:
        unknowns.refuse(cloud, violations)

    assert str(refusal.value).splitlines() == [
        f"node group {name}: AWS refuses this: The requested configuration is currently not supported "
        "(InvalidParameterException): choose a type of the region."
        for name in ("a", "b")
    ]
