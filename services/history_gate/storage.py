"""The bucket of event logs, as the gate and the keeper use it. All calls block."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from botocore.exceptions import ClientError

from moka import event_logs
from services.history_gate.join import CHUNK

PART_BYTES = 16 * 2**20
"""Of an upload in parts; S3 takes 10,000 of them, 5 MiB each at the least."""


@dataclass(frozen=True)
class Stored:
    """An object: its key, size in bytes, and when it was last written."""

    key: str
    size: int
    modified: datetime


class Storage:
    """A bucket. client: of S3, by boto3; any number of threads may use it."""

    def __init__(self, client: Any, bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def size(self, key: str) -> int | None:
        """Bytes of an object; None where there is none."""
        try:
            size: int = self._client.head_object(Bucket=self._bucket, Key=key)["ContentLength"]
        except ClientError as error:
            if error.response["Error"]["Code"] in ("404", "NoSuchKey"):
                return None
            raise
        return size

    def marker(self, log: str) -> tuple[event_logs.Marker, datetime] | None:
        """Who has a log that is not joined yet, and when he last said so; None where nobody has.

        Raises ValueError when the object is no marker.
        """
        try:
            answer = self._client.get_object(Bucket=self._bucket, Key=event_logs.open_key(log))
        except ClientError as error:
            if error.response["Error"]["Code"] == "NoSuchKey":
                return None
            raise
        return event_logs.Marker.from_json(answer["Body"].read()), answer["LastModified"]

    def objects(self, prefix: str) -> Iterator[Stored]:
        """Objects under a prefix, in the order of their keys; asked for by thousands."""
        pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=prefix)
        for page in pages:
            for entry in page.get("Contents", ()):
                yield Stored(entry["Key"], entry["Size"], entry["LastModified"])

    def count(self, prefix: str) -> int:
        """How many objects there are under a prefix; asked for by thousands."""
        pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=prefix)
        return sum(page["KeyCount"] for page in pages)

    def read(self, key: str) -> Iterator[bytes]:
        """Content of an object, in chunks."""
        body = self._client.get_object(Bucket=self._bucket, Key=key)["Body"]
        yield from body.iter_chunks(CHUNK)

    def write(self, key: str, content: Iterable[bytes]) -> None:
        """Write an object, in parts where it is large; nobody sees it before all of it is there."""
        parts = _parts(content)
        first = next(parts, b"")
        second = next(parts, None)
        if second is None:
            self._client.put_object(Bucket=self._bucket, Key=key, Body=first)
            return
        upload = {"Bucket": self._bucket, "Key": key}
        upload["UploadId"] = self._client.create_multipart_upload(**upload)["UploadId"]
        try:
            done = []
            for number, part in enumerate(_chain(first, second, parts), start=1):
                answer = self._client.upload_part(**upload, PartNumber=number, Body=part)
                done.append({"PartNumber": number, "ETag": answer["ETag"]})
            self._client.complete_multipart_upload(**upload, MultipartUpload={"Parts": done})
        except Exception:
            self._client.abort_multipart_upload(**upload)
            raise

    def delete(self, key: str) -> None:
        """Delete an object, which need not be there."""
        self._client.delete_object(Bucket=self._bucket, Key=key)


def _parts(content: Iterable[bytes]) -> Iterator[bytes]:
    part = bytearray()
    for piece in content:
        part += piece
        if len(part) >= PART_BYTES:
            yield bytes(part)
            part.clear()
    if part:
        yield bytes(part)


def _chain(first: bytes, second: bytes, others: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield second
    yield from others
