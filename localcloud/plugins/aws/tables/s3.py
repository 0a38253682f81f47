"""S3 buckets and their settings."""

from dataclasses import replace
from typing import Any

from localcloud.errors import Refusal
from localcloud.plugins.aws.api import error_code
from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Change, Kind, Name, P, Read, Tagging, words


def make_bucket(subject: Subject) -> str:
    """Make a bucket in its region; S3 does not accept us-east-1 as a location."""
    name = subject.properties["bucket"]
    location = {"CreateBucketConfiguration": {"LocationConstraint": subject.region}}
    place = {} if subject.region == "us-east-1" else location
    lock = {"ObjectLockEnabledForBucket": True} if subject.properties.get("objectLockEnabled") else {}
    if subject.region == "us-east-1" and _exists(subject, name):
        # S3 answers there as if it had made the bucket.
        raise _name_in_use(name)
    subject.request("create_bucket", Bucket=name, **place, **lock)
    return str(name)


def _name_in_use(name: str) -> Exception:
    from botocore.exceptions import ClientError

    message = f"There is a bucket {name} already: choose another name, or import it"
    return ClientError({"Error": {"Code": "BucketAlreadyOwnedByYou", "Message": message}}, "CreateBucket")


def _exists(subject: Subject, name: str) -> bool:
    try:
        subject.request("head_bucket", Bucket=name)
    except Exception as error:
        if error_code(error) in ("404", "NoSuchBucket"):
            return False
        raise
    return True


def read_bucket(subject: Subject) -> dict[str, Any]:
    """A bucket and its region."""
    head = subject.request("head_bucket", Bucket=subject.id)
    region = head["ResponseMetadata"]["HTTPHeaders"].get("x-amz-bucket-region", subject.region)
    return {"bucket": subject.id, "bucketRegion": region, "hostedZoneId": HOSTED_ZONES.get(region)}


# Of S3's website endpoints: https://docs.aws.amazon.com/general/latest/gr/s3.html
HOSTED_ZONES = {
    "us-east-1": "Z3AQBSTGFYJSTF",
    "us-east-2": "Z2O1EMRO9K5GLX",
    "us-west-1": "Z2F56UZL2M1ACD",
    "us-west-2": "Z3BJ6K6RIION7M",
    "eu-central-1": "Z21DNDUVLTQW6Q",
    "eu-west-1": "Z1BKCTXD74EZPE",
}


def empty_if_forced(subject: Subject) -> None:
    """Delete all objects of a bucket with forceDestroy; without it a bucket has to be empty."""
    if not subject.properties.get("forceDestroy"):
        return
    pages = subject.api.client("s3", subject.region).get_paginator("list_object_versions")
    for page in pages.paginate(Bucket=subject.id):
        versions = [*page.get("Versions", ()), *page.get("DeleteMarkers", ())]
        objects = [{"Key": version["Key"], "VersionId": version["VersionId"]} for version in versions]
        if objects:
            subject.request("delete_objects", Bucket=subject.id, Delete={"Objects": objects, "Quiet": True})


def delete_bucket(subject: Subject) -> None:
    """Delete an empty bucket."""
    try:
        subject.request("delete_bucket", Bucket=subject.id)
    except Exception as error:
        if error_code(error) != "BucketNotEmpty":
            raise
        raise Refusal(
            f"Bucket {subject.id} is not empty: empty it, or set forceDestroy on it, run `up`, and try again."
        ) from None


BUCKET = Kind(
    service="s3",
    schema="AWS::S3::Bucket",
    inputs="bucket bucketPrefix forceDestroy objectLockEnabled",
    outputs="arn bucketDomainName bucketRegion bucketRegionalDomainName hostedZoneId",
    create=make_bucket,
    id="",
    name=Name("bucket", prefix="bucketPrefix", max_length=63, lower=True),
    defaults={"forceDestroy": False},
    arguments=words("forceDestroy bucketPrefix"),
    computed=words("objectLockEnabled"),
    write_only=words("objectLockEnabled"),
    reads=(Read(read_bucket),),
    delete=(empty_if_forced, delete_bucket),
    tags=Tagging(
        create=None,
        put=Call("put_bucket_tagging", {"Bucket": ID, "Tagging": {"TagSet": P("tagsAll")}}),
        replaces_all=True,
        remove=Call("delete_bucket_tagging", {"Bucket": ID}),
        read_call=Call("get_bucket_tagging", {"Bucket": ID}),
        at="TagSet",
    ),
    derived={
        "arn": "arn:{partition}:s3:::{bucket}",
        "bucketDomainName": "{bucket}.s3.amazonaws.com",
        "bucketRegionalDomainName": "{bucket}.s3.{bucketRegion}.amazonaws.com",
    },
    schema_names={"bucket": "BucketName", "bucketPrefix": "BucketNamePrefix"},
)


def setting(
    inputs: str,
    put: Call,
    get: Call,
    at: str,
    delete: tuple[Call, ...],
    schema: str,
    properties: dict[str, str] | None = None,
    **more: Any,
) -> Kind:
    """Row of a setting of a bucket, which is always put as a whole."""
    names = tuple(name.rstrip("!") for name in inputs.split())
    return Kind(
        service="s3",
        schema="AWS::S3::Bucket",
        inputs=f"bucket! {inputs}",
        create=put,
        id="{bucket}",
        identity=("bucket",),
        reads=(Read(get, at, properties or {}, all=properties is None),),
        changes=(Change(names, put),),
        delete=delete,
        schema_names={"bucket": "BucketName", **dict.fromkeys(names, schema)},
        exclusive=True,
        **more,
    )


BUCKET_ID = {"Bucket": P("bucket")}
BLOCKS = "blockPublicAcls blockPublicPolicy ignorePublicAcls restrictPublicBuckets"

BUCKET_PUBLIC_ACCESS_BLOCK = setting(
    BLOCKS,
    Call(
        "put_public_access_block",
        {
            **BUCKET_ID,
            "PublicAccessBlockConfiguration": {
                name[0].upper() + name[1:]: P(name) for name in BLOCKS.split()
            },
        },
    ),
    Call("get_public_access_block", BUCKET_ID),
    "PublicAccessBlockConfiguration",
    (Call("delete_public_access_block", BUCKET_ID),),
    "PublicAccessBlockConfiguration",
    defaults=dict.fromkeys(BLOCKS.split(), False),
)

ENCRYPTION = setting(
    "rules!",
    Call(
        "put_bucket_encryption",
        {**BUCKET_ID, "ServerSideEncryptionConfiguration": {"Rules": P("rules")}},
    ),
    Call("get_bucket_encryption", BUCKET_ID),
    "ServerSideEncryptionConfiguration",
    (Call("delete_bucket_encryption", BUCKET_ID),),
    "BucketEncryption",
    computed=words("rules.bucketKeyEnabled rules.blockedEncryptionTypes"),
)

BUCKET_POLICY = replace(
    setting(
        "policy!",
        Call("put_bucket_policy", {**BUCKET_ID, "Policy": P("policy")}),
        Call("get_bucket_policy", BUCKET_ID),
        "",
        (Call("delete_bucket_policy", BUCKET_ID),),
        "PolicyDocument",
        properties={"policy": "Policy"},
        documents=words("policy"),
    ),
    schema="AWS::S3::BucketPolicy",
    schema_names={"policy": "PolicyDocument"},
)

BUCKET_LIFECYCLE = setting(
    "rules transitionDefaultMinimumObjectSize",
    Call(
        "put_bucket_lifecycle_configuration",
        {
            **BUCKET_ID,
            "LifecycleConfiguration": {"Rules": P("rules")},
            "TransitionDefaultMinimumObjectSize": P("transitionDefaultMinimumObjectSize"),
        },
    ),
    Call("get_bucket_lifecycle_configuration", BUCKET_ID),
    "",
    (Call("delete_bucket_lifecycle", BUCKET_ID),),
    "LifecycleConfiguration",
    computed=words("transitionDefaultMinimumObjectSize rules.filter rules.prefix"),
    write_only=words(
        "transitionDefaultMinimumObjectSize rules.noncurrentVersionExpiration.newerNoncurrentVersions"
    ),
)

BUCKET_VERSIONING = setting(
    "versioningConfiguration! mfa",
    Call(
        "put_bucket_versioning",
        {**BUCKET_ID, "VersioningConfiguration": P("versioningConfiguration"), "MFA": P("mfa")},
    ),
    Call("get_bucket_versioning", BUCKET_ID),
    "",
    (Call("put_bucket_versioning", {**BUCKET_ID, "VersioningConfiguration": {"Status": "Suspended"}}),),
    "VersioningConfiguration",
    properties={"versioningConfiguration": ""},
    write_only=words("mfa"),
)

BUCKET_OWNERSHIP = setting(
    "rule!",
    Call("put_bucket_ownership_controls", {**BUCKET_ID, "OwnershipControls": {"Rules": P("rule")}}),
    Call("get_bucket_ownership_controls", BUCKET_ID),
    "OwnershipControls",
    (Call("delete_bucket_ownership_controls", BUCKET_ID),),
    "OwnershipControls",
    properties={"rule": "Rules[0]"},
)

LOGGING = "targetBucket targetPrefix targetGrants targetObjectKeyFormat"

BUCKET_LOGGING = setting(
    "targetBucket! targetPrefix! targetGrants targetObjectKeyFormat",
    Call(
        "put_bucket_logging",
        {
            **BUCKET_ID,
            "BucketLoggingStatus": {
                "LoggingEnabled": {name[0].upper() + name[1:]: P(name) for name in LOGGING.split()}
            },
        },
    ),
    Call("get_bucket_logging", BUCKET_ID),
    "LoggingEnabled",
    (Call("put_bucket_logging", {**BUCKET_ID, "BucketLoggingStatus": {}}),),
    "LoggingConfiguration",
)

TYPES = {
    "aws:s3/bucket:Bucket": BUCKET,
    "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock": BUCKET_PUBLIC_ACCESS_BLOCK,
    "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration": ENCRYPTION,
    "aws:s3/bucketPolicy:BucketPolicy": BUCKET_POLICY,
    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration": BUCKET_LIFECYCLE,
    "aws:s3/bucketVersioning:BucketVersioning": BUCKET_VERSIONING,
    "aws:s3/bucketLogging:BucketLogging": BUCKET_LOGGING,
    "aws:s3/bucketOwnershipControls:BucketOwnershipControls": BUCKET_OWNERSHIP,
}
