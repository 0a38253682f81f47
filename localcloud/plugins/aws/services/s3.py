"""S3 as boto3's client answers it: moto's answers, but for the logging of buckets, which is kept in files.

moto writes a log for every call, so that no bucket with logs is ever empty, and takes few bucket policies.
"""

from typing import Any

from localcloud.plugins.aws.services.base import Members, Service


class S3(Service):
    """A client of S3 in one region."""

    def put_bucket_logging(self, Bucket: str, BucketLoggingStatus: Members) -> Members:
        """Set the target of a bucket's logs, or none."""
        self.validate("PutBucketLogging", {"Bucket": Bucket, "BucketLoggingStatus": BucketLoggingStatus})
        enabled = BucketLoggingStatus.get("LoggingEnabled")
        if not enabled:
            self.store.remove("logging", Bucket)
            return {}
        self.store.put("logging", Bucket, thing=enabled)
        return {}

    def get_bucket_logging(self, Bucket: str) -> Members:
        """The target of a bucket's logs."""
        self.client.head_bucket(Bucket=Bucket)
        enabled = self.store.get("logging", Bucket)
        return {"LoggingEnabled": enabled} if enabled else {}

    def delete_bucket(self, **members: Any) -> Members:
        """Delete an empty bucket."""
        answer: Members = self.client.delete_bucket(**members)
        self.store.remove("logging", members["Bucket"])
        return answer
