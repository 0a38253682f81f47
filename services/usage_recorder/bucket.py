"""A bucket of S3, as the recorder uses it. All calls block.

S3 writes on condition since 2024: with `If-None-Match: *` only where there is no object of the key, with
`If-Match` only over the object with that ETag; otherwise the answer is 412, 409 while another write of the
key is under way, and 404 where there is none to match
(https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html).
Reads and lists see every write that was answered
(https://docs.aws.amazon.com/AmazonS3/latest/userguide/Welcome.html#ConsistencyModel).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

FAILURES = (BotoCoreError, ClientError, OSError)
"""What any call may raise; it is tried again."""

REFUSED = frozenset({"PreconditionFailed", "NoSuchKey", "412", "404"})
"""Codes of S3 where a condition does not hold. 409 says that another write is under way, and to ask again."""

DELETED_AT_ONCE = 1000
"""Keys of a request: https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html"""


class PreconditionFailed(Exception):
    """The object is not, or not any more, what a write expected it to be."""


@dataclass(frozen=True)
class Stored:
    """An object: key, bytes and ETag."""

    key: str
    size: int
    tag: str


def client(region: str) -> Any:
    """A client of S3, with time limits: who waits for ever notices no outage."""
    return boto3.client(
        "s3",
        region_name=region,
        config=Config(connect_timeout=5, read_timeout=60, retries={"mode": "standard", "max_attempts": 3}),
    )


class Bucket:
    """A bucket. client: of S3, by boto3; any number of threads may use it."""

    def __init__(self, client: Any, name: str) -> None:
        self._client = client
        self._name = name

    def objects(self, prefix: str) -> list[Stored]:
        """Objects under a prefix, in the order of their keys."""
        pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._name, Prefix=prefix)
        return [
            Stored(entry["Key"], entry["Size"], entry["ETag"])
            for page in pages
            for entry in page.get("Contents", ())
        ]

    def read(self, key: str) -> tuple[bytes, str]:
        """Content and ETag of an object."""
        answer = self._client.get_object(Bucket=self._name, Key=key)
        return answer["Body"].read(), answer["ETag"]

    def fetch(self, key: str, file: Path) -> None:
        """Write the content of an object to a file."""
        with file.open("wb") as target:
            for chunk in self._client.get_object(Bucket=self._name, Key=key)["Body"].iter_chunks(1 << 20):
                target.write(chunk)

    def put(self, key: str, file: Path) -> None:
        """Write an object."""
        with file.open("rb") as body:
            self._client.put_object(Bucket=self._name, Key=key, Body=body)

    def put_over(self, key: str, content: bytes, tag: str | None) -> str:
        """Write an object over the one with an ETag, or where there is none; its ETag.

        Raises PreconditionFailed.
        """
        condition = {"IfNoneMatch": "*"} if tag is None else {"IfMatch": tag}
        try:
            answer = self._client.put_object(Bucket=self._name, Key=key, Body=content, **condition)
        except ClientError as error:
            if error.response["Error"]["Code"] in REFUSED:
                raise PreconditionFailed(f"s3://{self._name}/{key} has changed") from None
            raise
        return str(answer["ETag"])

    def copy(self, source: str, key: str) -> None:
        """Write an object that is what another one is, within S3."""
        self._client.copy_object(Bucket=self._name, Key=key, CopySource={"Bucket": self._name, "Key": source})

    def delete(self, keys: Sequence[str]) -> None:
        """Delete objects, which need not be there."""
        for start in range(0, len(keys), DELETED_AT_ONCE):
            batch = keys[start : start + DELETED_AT_ONCE]
            answer = self._client.delete_objects(
                Bucket=self._name, Delete={"Objects": [{"Key": key} for key in batch], "Quiet": True}
            )
            for failed in answer.get("Errors", ()):
                raise OSError(f"s3://{self._name}/{failed['Key']} was not deleted: {failed.get('Message')}")
