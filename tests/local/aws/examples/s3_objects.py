"""S3's objects: an example of every type, and how it is changed by hand."""

from localcloud.engine import Resource
from tests.local.aws.examples.example import OTHER_TAGS, TAGS, Changes, Console, Example

EXAMPLES = [
    Example(
        f"aws:s3/{name}",
        lambda w: {
            "bucket": w.bucket,
            "key": "www/index.html",
            "content": "<p>one</p>",
            "contentType": "text/html",
            "tags": TAGS,
        },
        lambda w: {
            "content": None,
            "contentBase64": "PHA+dHdvPC9wPg==",
            "cacheControl": "no-store",
            "tags": OTHER_TAGS,
        },
        lambda w: {"key": "www/other.html"},
        imported=lambda resource: f"{resource.inputs['bucket']}/{resource.id}",
    )
    for name in ("bucketObject:BucketObject", "bucketObjectv2:BucketObjectv2")
]


def change_type(console: Console, resource: Resource) -> None:
    console.client("s3").put_object(
        Bucket=resource.inputs["bucket"], Key=resource.id, Body=b"", ContentType="text/plain"
    )


CHANGES_BY_HAND: Changes = {
    "aws:s3/bucketObject:BucketObject": change_type,
    "aws:s3/bucketObjectv2:BucketObjectv2": change_type,
}
