import json

import pytest

from report.subjects.losses import losses
from tests.support.report_steps import preview, says, step

BUCKET, REPOSITORY = "aws:s3/bucket:Bucket", "aws:ecr/repository:Repository"


@pytest.mark.parametrize(
    ("gone", "sentence"),
    [
        (step(BUCKET, "logs", {}), "Bucket `logs` is deleted, with objects: lost, as nothing protects it"),
        (step(BUCKET, "logs", {"forceDestroy": True}), "a bucket that is not empty is deleted all the same"),
        (step(REPOSITORY, "spark", {"forceDelete": True}), "its images are deleted with it"),
        (step("aws:kms/key:Key", "main", {}), "nobody can read without it"),
        (step("aws:cloudwatch/logGroup:LogGroup", "a", {}), "with logs: lost"),
        (step("aws:rds/instance:Instance", "db", {"skipFinalSnapshot": True}), "without a last snapshot"),
        (step("kubernetes:core/v1:PersistentVolumeClaim", "c", {}), "with a volume: lost"),
        (step("kubernetes:core/v1:Namespace", "jobs", {}), "jobs that run there included"),
        (
            step(BUCKET, "logs", {}, {}, op="replace", forces=("bucket",)),
            "is replaced (by `bucket`), with objects",
        ),
        (step(BUCKET, "logs", {}, old_protect=True), "as soon as somebody lifts its protection"),
    ],
)
def test_data_that_would_be_lost_stops_a_change(gone, sentence):
    assert sentence in says(losses(preview(gone)), "stop")


def stateful_set(when_deleted):
    policy = {"persistentVolumeClaimRetentionPolicy": {"whenDeleted": when_deleted}} if when_deleted else {}
    return {"spec": {"volumeClaimTemplates": [{"metadata": {"name": "disk"}}], **policy}}


@pytest.mark.parametrize(("when_deleted", "weight"), [("Delete", "stop"), ("Retain", "look"), (None, "look")])
def test_volumes_of_a_stateful_set_are_lost_only_where_they_go_with_it(when_deleted, weight):
    gone = step("kubernetes:apps/v1:StatefulSet", "masters", stateful_set(when_deleted))

    assert "StatefulSet `masters` is deleted, with the volumes of its pods" in says(
        losses(preview(gone)), weight
    )


def test_what_is_kept_when_it_is_deleted_is_to_be_looked_at():
    section = losses(preview(step(BUCKET, "logs", {}, old_retain=True)))

    assert says(section, "look") == "Bucket `logs` is deleted, with objects: it stays, and Pulumi forgets it."
    assert not says(section, "stop")


def test_what_holds_no_data_is_in_the_table_and_to_be_looked_at():
    section = losses(preview(step("aws:ec2/eip:Eip", "a", {}), step("aws:ec2/eip:Eip", "b", {})))

    assert "gone or made anew: 2 resources" in says(section, "look")
    assert [list(row) for row in section.table.rows] == [["Eip", "deleted", "2", "left out", "`a` and `b`"]]


def test_protection_that_is_lifted_stops_a_change():
    section = losses(preview(step(BUCKET, "logs", {}, {}, old_protect=True), step(BUCKET, "other", {}, {})))

    assert "Bucket `logs` hold data and lose what protects them" in says(section, "stop")


def test_a_bucket_that_may_be_deleted_full_from_now_on_is_to_be_looked_at():
    section = losses(preview(step(BUCKET, "logs", {"forceDestroy": False}, {"forceDestroy": True})))

    assert "once it is deleted, a bucket that is not empty is deleted all the same" in says(section, "look")


def test_components_and_providers_are_nothing_that_is_lost():
    assert not losses(
        preview(
            step("moka:aws:Bucket", "logs", {}, old_custom=False),
            step("pulumi:providers:aws", "main", {}, {}, op="replace"),
        )
    )


LIFECYCLE = "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration"
IMAGES = "aws:ecr/lifecyclePolicy:LifecyclePolicy"


def expiring(days, prefix="logs/", status="Enabled"):
    return {"rules": [{"status": status, "filter": {"prefix": prefix}, "expiration": {"days": days}}]}


def images(number, kind="imageCountMoreThan"):
    rule = {"selection": {"tagStatus": "any", "countType": kind, "countNumber": number}}
    return {"policy": json.dumps({"rules": [rule]})}


def versioning(status):
    return {"versioningConfiguration": {"status": status}}


@pytest.mark.parametrize(
    ("type_", "before", "after", "sentence"),
    [
        (
            "aws:cloudwatch/logGroup:LogGroup",
            {"retentionInDays": 90},
            {"retentionInDays": 7},
            "`days of logs` 90 → 7",
        ),
        (
            "aws:cloudwatch/logGroup:LogGroup",
            {"retentionInDays": 0},
            {"retentionInDays": 7},
            "`days of logs` all → 7",
        ),
        (LIFECYCLE, expiring(90), expiring(30), "`days of logs/` 90 → 30"),
        (LIFECYCLE, {"rules": []}, expiring(30, ""), "`days of everything` all → 30"),
        (LIFECYCLE, expiring(30, status="Disabled"), expiring(30), "`days of logs/` all → 30"),
        (IMAGES, images(500), images(10), "`images that are any` 500 → 10"),
        (
            "aws:s3/bucketVersioning:BucketVersioning",
            versioning("Enabled"),
            versioning("Suspended"),
            "all → 1",
        ),
        ("aws:eks/cluster:Cluster", {"deletionProtection": True}, {}, "`protection from deletion` 1 → 0"),
        (
            "kubernetes:apps/v1:StatefulSet",
            {"spec": {"replicas": 5}},
            {"spec": {"replicas": 3}},
            "`replicas` 5 → 3",
        ),
        (
            "kubernetes:apps/v1:StatefulSet",
            stateful_set(None),
            stateful_set("Delete"),
            "once it is deleted` all → 0",
        ),
    ],
)
def test_what_is_kept_for_a_shorter_time_is_to_be_looked_at(type_, before, after, sentence):
    assert sentence in says(losses(preview(step(type_, "thing", before, after))), "look")
    assert "the rest goes" not in says(losses(preview(step(type_, "thing", after, before))))


@pytest.mark.parametrize("days", [3650, 0])
def test_what_is_kept_for_longer_is_paid_for(days):
    group = "aws:cloudwatch/logGroup:LogGroup"
    section = losses(preview(step(group, "logs", {"retentionInDays": 90}, {"retentionInDays": days})))

    assert "it is paid for that long" in says(section, "look")
