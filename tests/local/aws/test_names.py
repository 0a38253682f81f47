"""Names that the provider makes."""

from localcloud.plugins.provider import Naming
from tests.local.aws.tokens import BUCKET, GROUP, ROLE, trust


def test_a_name_that_nobody_gave_is_made_once_and_kept(bench):
    group = bench.make(GROUP, {}, name="web")

    assert group.outputs["name"].startswith("web-") and len(group.outputs["name"]) == len("web-") + 7
    assert bench.diff(group, {}).kinds == {}


def test_a_prefix_makes_a_name_too(bench):
    assert (
        bench.make(ROLE, {"namePrefix": "pods-", "assumeRolePolicy": trust("ec2")})
        .outputs["name"]
        .startswith("pods-")
    )


def test_a_bucket_is_named_in_lower_case(bench):
    assert bench.make(BUCKET, {}, name="EventLogs").id.startswith("eventlogs-")


def test_without_autonaming_a_name_must_be_given(bench):
    _, failures = bench.provider.check(bench.target(BUCKET), {}, {}, Naming(disabled=True))

    assert [failure.property for failure in failures] == ["bucket"]


def test_what_has_a_name_of_a_persons_choice_is_deleted_before_it_is_made_anew(bench):
    named = bench.make(ROLE, {"name": "chosen", "assumeRolePolicy": trust("ec2")})
    generated = bench.make(ROLE, {"assumeRolePolicy": trust("ec2")}, name="made")

    assert bench.diff(
        named, {"name": "chosen", "path": "/x/", "assumeRolePolicy": trust("ec2")}
    ).delete_before_replace
    assert not bench.diff(generated, {"path": "/x/", "assumeRolePolicy": trust("ec2")}).delete_before_replace
