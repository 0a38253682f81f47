import json

from components.aws.bucket import Bucket, BucketArgs, Expiry, tls_only

KEY = "arn:aws:kms:us-east-1:111122223333:key/k"


def test_every_object_is_encrypted_with_the_given_key(deploy):
    made = deploy(lambda: Bucket("logs", BucketArgs(name="moka-logs", kms_key_arn=KEY)))

    [encryption] = made.inputs(
        "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration"
    )
    assert encryption["rules"][0]["applyServerSideEncryptionByDefault"]["kmsMasterKeyId"] == KEY


def test_nothing_expires_and_nothing_is_versioned_unless_asked(deploy):
    made = deploy(lambda: Bucket("logs", BucketArgs(name="moka-logs", kms_key_arn=KEY)))

    assert made.inputs("aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration") == []
    assert made.inputs("aws:s3/bucketVersioning:BucketVersioning") == []


def test_what_expires_is_named_by_its_prefix(deploy):
    args = BucketArgs(name="moka-logs", kms_key_arn=KEY, expiries=(Expiry(prefix="driver/", days=30),))
    made = deploy(lambda: Bucket("logs", args))

    [lifecycle] = made.inputs("aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration")
    assert lifecycle["rules"][0]["filter"] == {"prefix": "driver/"}
    assert lifecycle["rules"][0]["expiration"] == {"days": 30}


def test_a_versioned_bucket_keeps_what_was_overwritten(deploy):
    made = deploy(lambda: Bucket("logs", BucketArgs(name="moka-logs", kms_key_arn=KEY, versioned=True)))

    [versioning] = made.inputs("aws:s3/bucketVersioning:BucketVersioning")
    assert versioning["versioningConfiguration"] == {"status": "Enabled"}


def test_only_a_bucket_that_is_not_retained_is_deleted_with_what_is_in_it(deploy):
    kept = deploy(lambda: Bucket("logs", BucketArgs(name="moka-logs", kms_key_arn=KEY)))
    dropped = deploy(lambda: Bucket("logs", BucketArgs(name="moka-logs", kms_key_arn=KEY, retain=False)))

    assert kept.inputs("aws:s3/bucket:Bucket")[0]["forceDestroy"] is False
    assert dropped.inputs("aws:s3/bucket:Bucket")[0]["forceDestroy"] is True


def test_requests_without_tls_are_denied_for_the_bucket_and_its_objects():
    [statement] = json.loads(tls_only("arn:aws:s3:::moka-logs"))["Statement"]

    assert statement["Effect"] == "Deny"
    assert statement["Resource"] == ["arn:aws:s3:::moka-logs", "arn:aws:s3:::moka-logs/*"]
