"""Objects of logs in a bucket, under the keys and in the form that Fluent Bit gives them."""

import gzip
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import boto3
import pytest

from moka.log_keys import LogObject
from moka.submission.configuration import LogsPlace

BUCKET, FOLDER = "acme-job-logs", "acme-spark-a"
PLACE = LogsPlace(bucket=BUCKET, region="us-east-1", folder=FOLDER, drivers_behind_seconds=0)

START = datetime(2026, 11, 22, 10, 0, 0, tzinfo=UTC)


@contextmanager
def log_objects(url: str, monkeypatch: pytest.MonkeyPatch, application: str) -> Iterator["LogObjects"]:
    """The bucket, and in it the logs of an application; this process may read them."""
    for name, value in {
        "AWS_ENDPOINT_URL": url,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
    }.items():
        monkeypatch.setenv(name, value)
    s3 = boto3.client("s3", region_name="us-east-1")
    s3.create_bucket(Bucket=BUCKET)
    yield LogObjects(s3, BUCKET, FOLDER, "spark-jobs", application)
    for entry in s3.list_objects_v2(Bucket=BUCKET).get("Contents", ()):
        s3.delete_object(Bucket=BUCKET, Key=entry["Key"])
    s3.delete_bucket(Bucket=BUCKET)


@dataclass
class LogObjects:
    """The logs of one application. s3: client of boto3."""

    s3: Any
    bucket: str
    folder: str
    namespace: str
    application: str

    def key(self, pod: str, role: str, begun: int, suffix: str = "aB3dE6gH") -> str:
        return LogObject(
            cluster=self.folder,
            namespace=self.namespace,
            application=self.application,
            role=role,
            pod=pod,
            container=f"spark-kubernetes-{role}",
            begun=START + timedelta(seconds=begun),
            suffix=suffix,
        ).key

    def put(
        self,
        pod: str,
        lines: Iterable[tuple[int, str] | tuple[int, str, str]],
        *,
        role: str = "driver",
        begun: int = 0,
        suffix: str = "aB3dE6gH",
    ) -> None:
        """Upload an object of lines: second, text, and `P` where it goes on."""
        documents = (
            json.dumps({"log": f"{_time(line[0])} stdout {line[2] if len(line) > 2 else 'F'} {line[1]}"})
            for line in lines
        )
        self.put_bytes(
            pod, gzip.compress("".join(f"{one}\n" for one in documents).encode()), role, begun, suffix
        )

    def put_bytes(
        self, pod: str, content: bytes, role: str = "driver", begun: int = 0, suffix: str = "aB3dE6gH"
    ) -> None:
        """Upload an object as it is."""
        self.s3.put_object(Bucket=self.bucket, Key=self.key(pod, role, begun, suffix), Body=content)


def _time(second: int) -> str:
    return f"{START + timedelta(seconds=second):%Y-%m-%dT%H:%M:%S}.000000000Z"
