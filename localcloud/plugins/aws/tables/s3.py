"""S3: buckets and their settings, each a resource."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from localcloud.errors import Refusal
from localcloud.plugins.aws.api import error_code
from localcloud.plugins.aws.refusals.permissions import services
from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import (
    ID,
    OTHER_INPUTS,
    Call,
    Change,
    Kind,
    Name,
    P,
    Read,
    Tagging,
    change,
    words,
)
from localcloud.plugins.aws.tables.s3_inline import INLINE, present
from localcloud.plugins.values import unknown_in


def make_bucket(subject: Subject) -> str:
    """Make a bucket in its region; S3 does not accept us-east-1 as a location."""
    name = subject.properties["bucket"]
    members: dict[str, Any] = {"Bucket": name}
    if subject.properties.get("objectLockEnabled"):
        members["ObjectLockEnabledForBucket"] = True
    if subject.region != "us-east-1":
        members["CreateBucketConfiguration"] = {"LocationConstraint": subject.region}
    elif _exists(subject, name):
        # S3 answers there as if it had made it.
        raise _name_conflict(name)
    subject.request("create_bucket", **members)
    return str(name)


def _name_conflict(name: str) -> Exception:
    from botocore.exceptions import ClientError

    message = f"There is a bucket {name} already"
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


def read_inline(subject: Subject) -> dict[str, Any]:
    """Settings of a bucket that its program has in it; of one to import, all that are set."""
    # They may also be resources of their own: without a value in the bucket they are none of its.
    is_import = not subject.inputs
    names = [name for name in INLINE if is_import or subject.inputs.get(name) not in (None, [])]
    settings = present({name: INLINE[name].live(subject) for name in names})
    website = {name: subject.text(text) for name, text in WEBSITE_ADDRESS.items()}
    return settings | (website if "website" in settings else {})


# The form of the older regions: https://docs.aws.amazon.com/general/latest/gr/s3.html
WEBSITE_ADDRESS = {
    "websiteDomain": "s3-website-{region}.amazonaws.com",
    "websiteEndpoint": "{bucket}.s3-website-{region}.amazonaws.com",
}

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
    subject.api.ask("s3", "list_object_versions", {"Bucket": subject.id}, subject.region)
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


def bucket_calls(subject: Subject) -> Iterator[tuple[str, dict[str, Any]]]:
    """The calls that make a bucket, as far as their values are known."""
    bucket = {"Bucket": subject.properties["bucket"]}
    yield "create_bucket", bucket
    for name, inline in INLINE.items():
        value = subject.properties.get(name)
        if value and not unknown_in(value):
            yield f"put_{inline.noun}", {**bucket, **inline.write(value)}


def refuse_acl(subject: Subject) -> None:
    """Refuse a new bucket with an ACL, which new buckets have not.

    https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-ownership-error-responses.html
    """
    acl = subject.properties.get("acl")
    if not subject.id and acl not in (None, "private", "bucket-owner-full-control"):
        raise Refusal(
            "InvalidBucketAclWithObjectOwnership: Bucket cannot have ACLs set with ObjectOwnership's "
            f"BucketOwnerEnforced setting: leave out the acl {acl} of bucket {subject.properties['bucket']}, "
            "and let others in by an aws.s3.BucketPolicy; or give it aws.s3.BucketOwnershipControls and an "
            "aws.s3.BucketAcl."
        )


BUCKET_V2 = Kind(
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
    calls=lambda subject: [("create_bucket", {"Bucket": subject.properties["bucket"]})],
)

BUCKET = replace(
    BUCKET_V2,
    inputs=f"{BUCKET_V2.inputs} acl {' '.join(INLINE)}",
    outputs=f"{BUCKET_V2.outputs} websiteDomain websiteEndpoint",
    computed=BUCKET_V2.computed | words("acl lifecycleRules.id") | INLINE.keys(),
    write_only=BUCKET_V2.write_only | {"acl"},
    documents=words("policy website.routingRules"),
    reads=(*BUCKET_V2.reads, Read(read_inline)),
    changes=(
        change("acl", "put_bucket_acl", {"Bucket": ID}),
        *(inline.changed(name) for name, inline in INLINE.items()),
    ),
    refusals=(refuse_acl,),
    calls=bucket_calls,
)
"""A bucket, with its settings where a program writes them into it."""


def setting(
    noun: str,
    inputs: str,
    schema_name: str,
    request: dict[str, Any],
    *,
    at: str = "",
    properties: dict[str, str] | None = None,
    delete: Call | None = None,
    **others: Any,
) -> Kind:
    """Row of a setting that a bucket may have: a change puts all of it anew.

    noun: as in `put_<noun>`, `get_<noun>` and, by default, `delete_<noun>`.
    schema_name: in CloudFormation's schema. request: members beside the bucket. at, properties: of its read.
    others: columns that are particular to the setting.
    """
    names = tuple(name.rstrip("!") for name in inputs.split())
    put = Call(f"put_{noun}", {**BUCKET_KEY, **request})
    columns: dict[str, Any] = {
        "schema": "AWS::S3::Bucket",
        "schema_names": {"bucket": "BucketName", **dict.fromkeys(names, schema_name)},
        "id": "{bucket}",
        "identity": ("bucket",),
    }
    return Kind(
        service="s3",
        inputs=f"bucket! {inputs}",
        create=put,
        reads=(Read(Call(f"get_{noun}", BUCKET_KEY), at, properties or {}, all=properties is None),),
        changes=(Change(names, put),),
        delete=(delete or Call(f"delete_{noun}", BUCKET_KEY),),
        exclusive=True,
        **(columns | others),
    )


BUCKET_KEY = {"Bucket": P("bucket")}
BLOCKS = "blockPublicAcls blockPublicPolicy ignorePublicAcls restrictPublicBuckets"

BUCKET_PUBLIC_ACCESS_BLOCK = setting(
    "public_access_block",
    BLOCKS,
    "PublicAccessBlockConfiguration",
    {"PublicAccessBlockConfiguration": OTHER_INPUTS},
    at="PublicAccessBlockConfiguration",
    defaults=dict.fromkeys(BLOCKS.split(), False),
)

ENCRYPTION = setting(
    "bucket_encryption",
    "rules!",
    "BucketEncryption",
    {"ServerSideEncryptionConfiguration": {"Rules": P("rules")}},
    at="ServerSideEncryptionConfiguration",
    computed=words("rules.bucketKeyEnabled rules.blockedEncryptionTypes"),
)

BUCKET_POLICY = setting(
    "bucket_policy",
    "policy!",
    "PolicyDocument",
    {"Policy": P("policy")},
    documents=words("policy"),
    schema="AWS::S3::BucketPolicy",
    schema_names={"policy": "PolicyDocument"},
)

BUCKET_LIFECYCLE = setting(
    "bucket_lifecycle_configuration",
    "rules transitionDefaultMinimumObjectSize",
    "LifecycleConfiguration",
    {
        "LifecycleConfiguration": {"Rules": P("rules")},
        "TransitionDefaultMinimumObjectSize": P("transitionDefaultMinimumObjectSize"),
    },
    delete=Call("delete_bucket_lifecycle", BUCKET_KEY),
    computed=words("transitionDefaultMinimumObjectSize rules.filter rules.prefix"),
    write_only=words(
        "transitionDefaultMinimumObjectSize rules.noncurrentVersionExpiration.newerNoncurrentVersions"
    ),
)

BUCKET_VERSIONING = setting(
    "bucket_versioning",
    "versioningConfiguration! mfa",
    "VersioningConfiguration",
    {"VersioningConfiguration": P("versioningConfiguration"), "MFA": P("mfa")},
    properties={"versioningConfiguration": ""},
    delete=Call("put_bucket_versioning", {**BUCKET_KEY, "VersioningConfiguration": {"Status": "Suspended"}}),
    write_only=words("mfa"),
)

BUCKET_OWNERSHIP = setting(
    "bucket_ownership_controls",
    "rule!",
    "OwnershipControls",
    {"OwnershipControls": {"Rules": P("rule")}},
    at="OwnershipControls",
    properties={"rule": "Rules[0]"},
)

WEBSITE_PARTS = ("indexDocument", "errorDocument", "redirectAllRequestsTo", "routingRules")

BUCKET_WEBSITE = setting(
    "bucket_website",
    " ".join(WEBSITE_PARTS),
    "WebsiteConfiguration",
    {"WebsiteConfiguration": OTHER_INPUTS},
    outputs="websiteDomain websiteEndpoint",
    derived=WEBSITE_ADDRESS,
    names={"errorDocument.key": "Key", "indexDocument.suffix": "Suffix"},
)

BUCKET_LOGGING = setting(
    "bucket_logging",
    "targetBucket! targetPrefix! targetGrants targetObjectKeyFormat",
    "LoggingConfiguration",
    {"BucketLoggingStatus": {"LoggingEnabled": OTHER_INPUTS}},
    at="LoggingEnabled",
    delete=Call("put_bucket_logging", {**BUCKET_KEY, "BucketLoggingStatus": {}}),
    refusals=(services.access_logs_target,),
)

BUCKET_ACL = setting(
    "bucket_acl",
    "acl",
    "AccessControl",
    {"ACL": P("acl")},
    properties={},
    delete=Call("head_bucket", BUCKET_KEY),
    id="{bucket},{acl}",
    identity=("bucket", "acl"),
    separator=",",
    schema_names={"bucket": "BucketName"},
)
"""The provider leaves the ACL as it is when the resource is deleted."""

BUCKET_CORS = setting(
    "bucket_cors",
    "corsRules!",
    "CorsConfiguration",
    {"CORSConfiguration": {"CORSRules": P("corsRules")}},
    properties={"corsRules": "CORSRules"},
)

BUCKET_ACCELERATION = setting(
    "bucket_accelerate_configuration",
    "status!",
    "AccelerateConfiguration",
    {"AccelerateConfiguration": {"Status": P("status")}},
    delete=Call(
        "put_bucket_accelerate_configuration",
        {**BUCKET_KEY, "AccelerateConfiguration": {"Status": "Suspended"}},
    ),
)

OBJECT_LOCK = setting(
    "object_lock_configuration",
    "objectLockEnabled rule",
    "ObjectLockConfiguration",
    {"ObjectLockConfiguration": OTHER_INPUTS},
    at="ObjectLockConfiguration",
    defaults={"objectLockEnabled": "Enabled"},
    computed=words("rule.defaultRetention.days rule.defaultRetention.years"),
    delete=Call(
        "put_object_lock_configuration",
        {**BUCKET_KEY, "ObjectLockConfiguration": {"ObjectLockEnabled": "Enabled"}},
    ),
)
"""Object lock stays: only its rule can be taken away."""

TYPES = {
    "aws:s3/bucket:Bucket": BUCKET,
    "aws:s3/bucketAcl:BucketAcl": BUCKET_ACL,
    "aws:s3/bucketCorsConfiguration:BucketCorsConfiguration": BUCKET_CORS,
    "aws:s3/bucketAccelerateConfiguration:BucketAccelerateConfiguration": BUCKET_ACCELERATION,
    "aws:s3/bucketObjectLockConfiguration:BucketObjectLockConfiguration": OBJECT_LOCK,
    "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock": BUCKET_PUBLIC_ACCESS_BLOCK,
    "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration": ENCRYPTION,
    "aws:s3/bucketPolicy:BucketPolicy": BUCKET_POLICY,
    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration": BUCKET_LIFECYCLE,
    "aws:s3/bucketVersioning:BucketVersioning": BUCKET_VERSIONING,
    "aws:s3/bucketLogging:BucketLogging": BUCKET_LOGGING,
    "aws:s3/bucketWebsiteConfiguration:BucketWebsiteConfiguration": BUCKET_WEBSITE,
    "aws:s3/bucketOwnershipControls:BucketOwnershipControls": BUCKET_OWNERSHIP,
}

V2 = (
    "bucket:Bucket",
    "bucketAcl:BucketAcl",
    "bucketCorsConfiguration:BucketCorsConfiguration",
    "bucketAccelerateConfiguration:BucketAccelerateConfiguration",
    "bucketObjectLockConfiguration:BucketObjectLockConfiguration",
    "bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration",
    "bucketLifecycleConfiguration:BucketLifecycleConfiguration",
    "bucketVersioning:BucketVersioning",
    "bucketLogging:BucketLogging",
    "bucketWebsiteConfiguration:BucketWebsiteConfiguration",
)
"""Types that have a deprecated name besides, which many programs use."""


def v2(type: str) -> str:
    """The deprecated name of a type: `aws:s3/bucketV2:BucketV2`."""
    return f"aws:s3/{type.replace(':', 'V2:')}V2"


TYPES |= {v2(type): TYPES[f"aws:s3/{type}"] for type in V2} | {v2("bucket:Bucket"): BUCKET_V2}
