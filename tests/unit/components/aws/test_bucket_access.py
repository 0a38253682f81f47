import json

import pytest

from moka.components.aws.bucket_access import ACTIONS, bucket_statements
from moka.components.aws.policy import allowing

BUCKET = "arn:aws:s3:::moka-staging"
KEY = "arn:aws:kms:us-east-1:111122223333:key/k"


@pytest.fixture
def allowed(deploy):
    """Statements of an access, by id, as AWS gets them."""

    def of(*args, **more):
        texts = []
        deploy(lambda: allowing(bucket_statements(*args, **more)).apply(texts.append))
        return {statement["Sid"]: statement for statement in json.loads(texts[0])["Statement"]}

    return of


def test_who_reads_finds_objects_and_reads_them_and_nothing_else(allowed):
    statements = allowed("Staging", "read", BUCKET, KEY)

    assert statements["FindStaging"]["Action"] == ["s3:ListBucket"]
    assert statements["FindStaging"]["Resource"] == [BUCKET]
    assert statements["ReadStaging"]["Action"] == ["s3:GetObject"]
    assert statements["ReadStaging"]["Resource"] == [f"{BUCKET}/*"]
    assert statements["KeyOfStaging"]["Action"] == ["kms:Decrypt"]


def test_who_adds_sees_nothing_of_what_is_there_and_deletes_nothing(allowed):
    statements = allowed("Logs", "add", BUCKET, KEY)

    actions = {action for statement in statements.values() for action in statement["Action"]}
    assert "s3:PutObject" in actions
    assert not actions & {"s3:ListBucket", "s3:GetObject", "s3:DeleteObject"}


def test_who_keeps_puts_and_reads_what_has_a_name_that_it_knows(allowed):
    statements = allowed("History", "keep", BUCKET, KEY, under="archer/")

    assert statements["KeepHistory"]["Action"] == ["s3:GetObject", "s3:PutObject"]
    assert statements["KeepHistory"]["Resource"] == [f"{BUCKET}/archer/*"]
    assert statements["KeyOfHistory"]["Action"] == ["kms:GenerateDataKey", "kms:Decrypt"]
    assert "FindHistory" not in statements


def test_who_logs_puts_what_a_log_consists_of_and_sees_nothing_of_any_log(allowed):
    statements = allowed("Logs", "log", BUCKET, KEY)

    assert {action for statement in statements.values() for action in statement["Action"]} == {
        "s3:PutObject",
        "s3:DeleteObject",
        "kms:GenerateDataKey",
    }
    assert statements["PutObjectOfLogs"]["Resource"] == [
        f"{BUCKET}/archive/eventlog_v2_*",
        f"{BUCKET}/hot/*",
        f"{BUCKET}/open/*",
    ]
    assert statements["DeleteObjectOfLogs"]["Resource"] == [
        f"{BUCKET}/archive/*/appstatus_*.inprogress",
        f"{BUCKET}/open/*",
    ]


def test_access_may_end_at_a_prefix_for_finding_too(allowed):
    statements = allowed("Staging", "write", BUCKET, KEY, under="team/")

    assert statements["WriteStaging"]["Resource"] == [f"{BUCKET}/team/*"]
    assert statements["FindStaging"]["Condition"] == {"StringLike": {"s3:prefix": ["team/*"]}}


def test_a_folder_that_can_be_opened_may_be_asked_for_without_its_slash_and_not_be_written(allowed):
    statements = allowed("Lake", "write", BUCKET, KEY, under=["orders/", "customers/eu/"], openable=True)

    assert statements["OpenLake"]["Action"] == ["s3:GetObject"]
    assert statements["OpenLake"]["Resource"] == [f"{BUCKET}/orders", f"{BUCKET}/customers/eu"]
    assert statements["WriteLake"]["Resource"] == [f"{BUCKET}/orders/*", f"{BUCKET}/customers/eu/*"]
    prefixes = ["orders/*", "customers/eu/*", "orders", "customers/eu"]
    assert statements["FindLake"]["Condition"] == {"StringLike": {"s3:prefix": prefixes}}


def test_a_whole_bucket_has_no_folder_to_open(allowed):
    assert "OpenLake" not in allowed("Lake", "read", BUCKET, KEY, openable=True)


def test_the_key_is_for_this_bucket_alone(allowed):
    statements = allowed("Staging", "read", BUCKET, KEY)

    assert statements["KeyOfStaging"]["Resource"] == [KEY]
    assert statements["KeyOfStaging"]["Condition"] == {
        "StringLike": {"kms:EncryptionContext:aws:s3:arn": [BUCKET, f"{BUCKET}/*"]}
    }


def test_write_includes_read():
    read, write = ACTIONS["read"], ACTIONS["write"]

    assert set(read.bucket) <= set(write.bucket)
    assert set(read.objects) <= set(write.objects)
    assert set(read.key) <= set(write.key)


def test_a_bucket_that_s3_s_own_key_encrypts_needs_no_key(allowed):
    assert set(allowed("Code", "read", BUCKET, None)) == {"FindCode", "ReadCode"}


def test_who_joins_logs_writes_and_deletes_nothing_of_what_drivers_wrote(allowed):
    statements = allowed("Logs", "join", BUCKET, KEY)

    assert statements["PutObjectOfLogs"]["Resource"] == [f"{BUCKET}/hot/*"]
    assert statements["DeleteObjectOfLogs"]["Resource"] == [f"{BUCKET}/open/*"]
    assert statements["JoinLogs"]["Action"] == ["s3:GetObject"]
