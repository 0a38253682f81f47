"""S3 as boto3's client answers it: moto's, but for the logging of buckets, which is kept in files.

moto writes a log for every call, so that no bucket with logs is ever empty, and takes few bucket policies.
"""

import json
from typing import Any

from localcloud.plugins.aws.api import code_of
from localcloud.plugins.aws.services.base import Members, Service

LOGGER = "logging.s3.amazonaws.com"


class S3(Service):
    """A client of S3 in one region."""

    def put_bucket_logging(self, Bucket: str, BucketLoggingStatus: Members) -> Members:
        """Say where the logs of a bucket go, or that there are none."""
        self.validate("put_bucket_logging", {"Bucket": Bucket, "BucketLoggingStatus": BucketLoggingStatus})
        enabled = BucketLoggingStatus.get("LoggingEnabled")
        if not enabled:
            self.kept.remove("logging", Bucket)
            return {}
        if not self._takes_logs(enabled["TargetBucket"]):
            self.refuse(
                "InvalidTargetBucketForLogging",
                f"Bucket {enabled['TargetBucket']} is not there, or its policy does not let {LOGGER} write",
                "PutBucketLogging",
            )
        self.kept.put("logging", Bucket, thing=enabled)
        return {}

    def get_bucket_logging(self, Bucket: str) -> Members:
        """Where the logs of a bucket go."""
        self.client.head_bucket(Bucket=Bucket)
        enabled = self.kept.get("logging", Bucket)
        return {"LoggingEnabled": enabled} if enabled else {}

    def delete_bucket(self, **members: Any) -> Members:
        """Delete an empty bucket."""
        answer: Members = self.client.delete_bucket(**members)
        self.kept.remove("logging", members["Bucket"])
        return answer

    def _takes_logs(self, bucket: str) -> bool:
        try:
            policy = json.loads(self.client.get_bucket_policy(Bucket=bucket)["Policy"])
        except Exception as error:
            if code_of(error) in ("NoSuchBucket", "NoSuchBucketPolicy"):
                return False
            raise
        return any(
            each["Effect"] == "Allow"
            and isinstance(each["Principal"], dict)
            and LOGGER in _listed(each["Principal"].get("Service", ()))
            for each in policy["Statement"]
        )


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)
