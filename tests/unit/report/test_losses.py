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


def test_what_holds_no_data_is_in_the_table_only():
    section = losses(preview(step("aws:ec2/eip:Eip", "a", {}), step("aws:ec2/eip:Eip", "b", {})))

    assert not section.findings
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
