"""What changes, and no subject has a word for, is left to the reviewer by name."""

import pytest

from report.subjects.coverage import unreviewed
from tests.support.report_steps import preview, says, step

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
LIFECYCLE = "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration"
THERE = step("aws:ec2/vpc:Vpc", "main", {}, {})


def changed(type_, before, after, *paths):
    return says(unreviewed(preview(step(type_, "thing", before, after, "update", changed=paths))), "look")


@pytest.mark.parametrize("field", ["userData", "imageId", "vpcSecurityGroupIds", "iamInstanceProfile"])
def test_what_machines_start_with_is_left_to_the_reviewer(field):
    assert f"LaunchTemplate `thing` (`{field}`)" in changed(TEMPLATE, {field: "a"}, {field: "b"}, field)


def test_where_objects_go_before_they_expire_is_left_to_the_reviewer():
    before, after = (
        {"rules": [{"expiration": {"days": 90}, "transitions": [{"days": 30, "storageClass": kind}]}]}
        for kind in ("STANDARD_IA", "DEEP_ARCHIVE")
    )

    assert "storageClass" in changed(LIFECYCLE, before, after, "rules[0].transitions[0].storageClass")


def test_days_of_a_lifecycle_have_a_subject_of_their_own():
    before, after = ({"rules": [{"expiration": {"days": days}}]} for days in (90, 30))

    assert not changed(LIFECYCLE, before, after, "rules[0].expiration.days")


def test_a_secret_that_the_engine_calls_another_is_a_change():
    secret = {"data": "[secret]", "metadata": {"name": "login"}}

    assert "`data.password`" in changed("kubernetes:core/v1:Secret", secret, secret, "data.password")
    assert not changed("kubernetes:core/v1:Secret", secret, secret, "metadata.name")


def test_the_environment_of_a_resource_is_no_tag_like_others():
    before, after = ({"tags": {"moka:environment": name, "team": name}} for name in ("prod", "dev"))

    assert changed("aws:s3/bucket:Bucket", before, after, 'tags["moka:environment"]')
    assert not changed("aws:s3/bucket:Bucket", before, after, "tags.team")


@pytest.mark.parametrize(
    "type_",
    [
        "kubernetes:helm.sh/v3:Release",
        "kubernetes:apps/v1:StatefulSet",
        "kubernetes:apps/v1:Deployment",
        "kubernetes:core/v1:Service",
        "aws:s3/bucket:Bucket",
    ],
)
def test_what_is_new_in_a_stack_is_left_to_the_reviewer(type_):
    assert "New, and nothing above judges it" in says(
        unreviewed(preview(THERE, step(type_, "miner", new={}))), "look"
    )
