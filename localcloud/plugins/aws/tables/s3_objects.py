"""S3: objects."""

import base64
from pathlib import Path
from typing import Any

from localcloud.errors import Refusal
from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import Call, Change, Kind, Name, P, Read, Tagging, words

KEY = {"Bucket": P("bucket"), "Key": P("key")}
HEADERS = (
    "cacheControl contentDisposition contentEncoding contentLanguage contentType metadata storageClass "
    "websiteRedirect"
)
CONTENTS = "source content contentBase64"


def put(subject: Subject) -> str:
    """Put the object, whole, as S3 changes none in place; its id, its key."""
    subject.call(Call("put_object", {**KEY, "Body": content(subject)}, takes=HEADERS))
    subject.sent |= set(CONTENTS.split())
    return str(subject.properties["key"])


def content(subject: Subject) -> bytes:
    """What the object holds. Raises Refusal where the program says it twice, or by an archive."""
    contents = {
        name: subject.inputs[name] for name in CONTENTS.split() if subject.inputs.get(name) is not None
    }
    if len(contents) > 1:
        raise Refusal(f"{subject.type} has {' and '.join(contents)}, which all are its content: write one.")
    match contents:
        case {"content": str(text)}:
            return text.encode()
        case {"contentBase64": str(text)}:
            return base64.b64decode(text)
        case {"source": {"text": str(text)}} if text:
            return text.encode()
        case {"source": {"path": str(path)}} if path and Path(path).is_file():
            return Path(path).read_bytes()
        case {"source": _}:
            raise Refusal(
                f"{subject.type}: source is no file and no text, and the laptop cloud takes only these: "
                "write a pulumi.FileAsset or pulumi.StringAsset."
            )
    return b""


def read(subject: Subject) -> dict[str, Any]:
    """The object, without its content; what that was, the state says. Its id to import: `<bucket>/<key>`."""
    subject.id = subject.properties["key"]
    answer = subject.request(
        "head_object", Bucket=subject.properties["bucket"], Key=subject.properties["key"]
    )
    return {
        **subject.extract("head_object", answer, ""),
        "etag": answer["ETag"].strip('"'),
        "versionId": answer.get("VersionId", ""),
    }


def delete(subject: Subject) -> None:
    """Delete all versions of the object, as the provider does (resourceObjectDelete)."""
    bucket, key = subject.properties["bucket"], subject.properties["key"]
    if not subject.properties.get("versionId"):
        # moto cannot list versions while other objects go.
        subject.request("delete_object", Bucket=bucket, Key=key)
        return
    answer = subject.request("list_object_versions", Bucket=bucket, Prefix=key)
    for version in [*answer.get("Versions", ()), *answer.get("DeleteMarkers", ())]:
        if version["Key"] == key:
            subject.request("delete_object", Bucket=bucket, Key=key, VersionId=version["VersionId"])


OBJECT = Kind(
    service="s3",
    # CloudFormation has no type for objects.
    schema="AWS::S3::Bucket",
    inputs=f"bucket! key {CONTENTS} {HEADERS}",
    outputs="arn etag versionId",
    create=put,
    id="",
    # The provider takes the logical name as it is: provider/resources.go of pulumi-aws.
    name=Name("key", prefix=None, max_length=1024, unique=False),
    identity=("bucket", "key"),
    separator="/",
    names={"websiteRedirect": "WebsiteRedirectLocation"},
    computed=words("contentType storageClass"),
    write_only=words(CONTENTS),
    fixed={"forceDestroy": False, "bucketKeyEnabled": False},
    volatile=words("etag versionId"),
    reads=(Read(read),),
    changes=(Change(tuple(f"{CONTENTS} {HEADERS}".split()), put),),
    delete=(delete,),
    tags=Tagging(
        create=None,
        put=Call("put_object_tagging", {**KEY, "Tagging": {"TagSet": P("tagsAll")}}),
        replaces_all=True,
        remove=Call("delete_object_tagging", KEY),
        read_call=Call("get_object_tagging", KEY),
        at="TagSet",
    ),
    derived={"arn": "arn:{partition}:s3:::{bucket}/{key}"},
    exclusive=True,
)

TYPES = {
    "aws:s3/bucketObject:BucketObject": OBJECT,
    "aws:s3/bucketObjectv2:BucketObjectv2": OBJECT,
}
