import json

import pytest

from moka.components.aws.bucket import Bucket, BucketArgs, Delivery, Expiry, bucket_policy
from moka.components.aws.sharing import Roles, Sharing

KEY = "arn:aws:kms:us-east-1:111122223333:key/k"
BUCKET = "arn:aws:s3:::moka-logs"
LIFECYCLE = "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration"


def test_every_object_is_encrypted_with_the_given_key(deploy):
    stack = deploy(lambda: Bucket("logs", BucketArgs(name="moka-logs", kms_key_arn=KEY)))

    [encryption] = stack.inputs(
        "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration"
    )
    assert [rule["applyServerSideEncryptionByDefault"] for rule in encryption["rules"]] == [
        {"sseAlgorithm": "aws:kms", "kmsMasterKeyId": KEY}
    ]


def rules(stack) -> dict:
    [lifecycle] = stack.inputs(LIFECYCLE)
    return {rule["id"]: rule for rule in lifecycle["rules"]}


def statements(policy: str) -> dict:
    return {statement["Sid"]: statement for statement in json.loads(policy)["Statement"]}


def test_without_a_key_s3_encrypts_with_its_own(deploy):
    stack = deploy(lambda: Bucket("logs", BucketArgs(name="moka-logs", kms_key_arn=None)))

    [encryption] = stack.inputs(
        "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration"
    )
    assert encryption["rules"] == [{"applyServerSideEncryptionByDefault": {"sseAlgorithm": "AES256"}}]


def test_who_asks_for_other_encryption_than_the_buckets_is_refused():
    policy = statements(bucket_policy(BUCKET, KEY))

    assert policy["DenyOtherKey"]["Condition"] == {
        "Null": {"s3:x-amz-server-side-encryption-aws-kms-key-id": "false"},
        "StringNotEquals": {"s3:x-amz-server-side-encryption-aws-kms-key-id": KEY},
    }
    assert policy["DenyOtherEncryption"]["Condition"]["StringNotEquals"] == {
        "s3:x-amz-server-side-encryption": "aws:kms"
    }


def test_access_is_by_policies_alone_and_never_public(deploy):
    stack = deploy(lambda: Bucket("logs", BucketArgs(name="moka-logs", kms_key_arn=KEY)))

    [controls] = stack.inputs("aws:s3/bucketOwnershipControls:BucketOwnershipControls")
    assert controls["rule"] == {"objectOwnership": "BucketOwnerEnforced"}
    [block] = stack.inputs("aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock")
    assert [value for key, value in block.items() if key != "bucket"] == [True] * 4


def test_nothing_expires_and_nothing_is_versioned_unless_asked(deploy):
    stack = deploy(lambda: Bucket("logs", BucketArgs(name="moka-logs", kms_key_arn=KEY)))

    assert not any("expiration" in rule for rule in rules(stack).values())
    assert stack.inputs("aws:s3/bucketVersioning:BucketVersioning") == []


def test_uploads_that_were_never_finished_are_cleared_away(deploy):
    stack = deploy(lambda: Bucket("logs", BucketArgs(name="moka-logs", kms_key_arn=KEY, unfinished_days=1)))

    assert rules(stack)["unfinished-uploads"]["abortIncompleteMultipartUpload"] == {"daysAfterInitiation": 1}


def test_what_expires_is_named_by_its_prefix(deploy):
    args = BucketArgs(name="moka-logs", kms_key_arn=KEY, expiries=(Expiry(prefix="driver/", days=30),))
    stack = deploy(lambda: Bucket("logs", args))

    assert rules(stack)["expire-driver"]["filter"] == {"prefix": "driver/"}
    assert rules(stack)["expire-driver"]["expiration"] == {"days": 30}


@pytest.mark.parametrize(("days", "moves"), [(90, True), (60, True), (59, False), (10, False)])
def test_what_is_seldom_read_moves_to_a_cheaper_class_where_that_pays(deploy, days, moves):
    expiry = Expiry(prefix="", days=days, cheaper_after=30)
    stack = deploy(lambda: Bucket("logs", BucketArgs(name="moka-logs", kms_key_arn=KEY, expiries=(expiry,))))

    moved = rules(stack)["expire-all"].get("transitions")
    assert moved == ([{"days": 30, "storageClass": "STANDARD_IA"}] if moves else None)


def test_former_versions_are_kept_for_a_while_only(deploy):
    args = BucketArgs(name="moka-logs", kms_key_arn=KEY, versioned=True, noncurrent_days=3)
    stack = deploy(lambda: Bucket("logs", args))

    rule = rules(stack)["former-versions"]
    assert rule["noncurrentVersionExpiration"] == {"noncurrentDays": 3}
    # And what is left of a deleted object after that.
    assert rule["expiration"] == {"expiredObjectDeleteMarker": True}


def test_who_used_a_bucket_is_recorded_in_another_by_its_name(deploy):
    args = BucketArgs(name="moka-logs", kms_key_arn=KEY, access_logs_bucket="moka-access-logs")
    stack = deploy(lambda: Bucket("logs", args))

    [logging] = stack.inputs("aws:s3/bucketLogging:BucketLogging")
    assert (logging["targetBucket"], logging["targetPrefix"]) == ("moka-access-logs", "s3/moka-logs/")


def test_a_service_delivers_under_its_prefix_on_behalf_of_its_account_only():
    delivery = Delivery(
        sid="Records",
        service="logging.s3.amazonaws.com",
        prefix="s3/",
        account_id="111122223333",
        sources="arn:aws:s3:::moka-*",
    )
    policy = statements(bucket_policy(BUCKET, deliveries=(delivery,)))

    assert policy["RecordsWrite"]["Resource"] == f"{BUCKET}/s3/*"
    assert policy["RecordsWrite"]["Action"] == "s3:PutObject"
    assert policy["RecordsWrite"]["Condition"] == {
        "StringEquals": {"aws:SourceAccount": "111122223333"},
        "ArnLike": {"aws:SourceArn": "arn:aws:s3:::moka-*"},
    }
    assert "RecordsCheck" not in policy


def test_whom_a_bucket_is_shared_with_reads_the_bucket_and_its_objects():
    staging = Roles(account_id="222233334444", path="/acme-staging/")
    policy = statements(bucket_policy(BUCKET, sharing=Sharing(grants={staging: "read"})))

    assert policy["Read"]["Action"] == ["s3:GetObject", "s3:ListBucket"]
    assert policy["Read"]["Resource"] == [BUCKET, f"{BUCKET}/*"]


def test_a_versioned_bucket_keeps_what_was_overwritten(deploy):
    stack = deploy(lambda: Bucket("logs", BucketArgs(name="moka-logs", kms_key_arn=KEY, versioned=True)))

    [versioning] = stack.inputs("aws:s3/bucketVersioning:BucketVersioning")
    assert versioning["versioningConfiguration"] == {"status": "Enabled"}


def test_only_a_bucket_that_is_not_retained_is_deleted_with_what_is_in_it(deploy):
    retained = deploy(lambda: Bucket("logs", BucketArgs(name="moka-logs", kms_key_arn=KEY)))
    dropped = deploy(lambda: Bucket("logs", BucketArgs(name="moka-logs", kms_key_arn=KEY, retain=False)))

    assert retained.inputs("aws:s3/bucket:Bucket")[0]["forceDestroy"] is False
    assert dropped.inputs("aws:s3/bucket:Bucket")[0]["forceDestroy"] is True


@pytest.mark.parametrize("retain", [True, False])
def test_a_bucket_is_protected_and_kept_with_all_that_is_said_of_it_unless_asked_otherwise(deploy, retain):
    args = BucketArgs(name="moka-logs", kms_key_arn=KEY, versioned=True, retain=retain)
    stack = deploy(lambda: Bucket("logs", args))

    resources = {urn: resource for urn, resource in stack.tree().items() if "aws:s3" in urn}
    assert {resource.retainOnDelete for resource in resources.values()} == {retain}
    assert resources["moka:aws:Bucket$aws:s3/bucket:Bucket::logs"].protect is retain


def test_requests_without_tls_are_denied_for_the_bucket_and_its_objects():
    denied = statements(bucket_policy(BUCKET, KEY))["DenyInsecureTransport"]

    assert denied["Effect"] == "Deny"
    assert denied["Resource"] == [BUCKET, f"{BUCKET}/*"]
    assert denied["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_nobody_deletes_former_versions_of_a_locked_bucket():
    def denied(locked: bool) -> list[str]:
        statements = json.loads(bucket_policy("arn:aws:s3:::state", locked=locked))["Statement"]
        return [
            action
            for statement in statements
            if statement["Effect"] == "Deny"
            and statement["Action"] != "s3:*"
            and statement["Principal"] == "*"
            for action in statement["Action"]
        ]

    assert denied(locked=True) == ["s3:DeleteBucket", "s3:DeleteObjectVersion"]
    assert denied(locked=False) == []
