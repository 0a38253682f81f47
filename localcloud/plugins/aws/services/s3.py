"""S3 as boto3's client answers it: moto's answers, but for the logging of buckets, which is kept in files.

moto writes a log for every call, so that no bucket with logs is ever empty, and takes few bucket policies.
"""

import json
from typing import Any

from localcloud.plugins.aws.api import error_code
from localcloud.plugins.aws.services.base import Members, Service

LOGGER = "logging.s3.amazonaws.com"


class S3(Service):
    """A client of S3 in one region."""

    def put_bucket_logging(self, Bucket: str, BucketLoggingStatus: Members) -> Members:
        """Set the target of a bucket's logs, or none."""
        self.validate("PutBucketLogging", {"Bucket": Bucket, "BucketLoggingStatus": BucketLoggingStatus})
        enabled = BucketLoggingStatus.get("LoggingEnabled")
        if not enabled:
            self.store.remove("logging", Bucket)
            return {}
        if not self._takes_logs(enabled["TargetBucket"]):
            self.refuse(
                "InvalidTargetBucketForLogging",
                f"Bucket {enabled['TargetBucket']} is not there, or its policy does not let {LOGGER} write",
                "PutBucketLogging",
            )
        self._refuse_undeliverable(Bucket, enabled)
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

    def _refuse_undeliverable(self, bucket: str, enabled: Members) -> None:
        """Refuse logs that the target's policy would keep out, for this bucket or under this prefix."""
        # It imports the types that call this service.
        from localcloud.plugins.aws.refusals.identities import Identities
        from localcloud.plugins.aws.refusals.permissions.services import takes_access_logs

        target, prefix = enabled["TargetBucket"], enabled.get("TargetPrefix", "")
        if why := takes_access_logs(Identities(self.api, self.region), bucket, target, prefix):
            self.refuse(
                "InvalidTargetBucketForLogging",
                f"Logs of {bucket} could not be put under {prefix} in {target} by {LOGGER}, "
                f"{why.because('s3:PutObject')}",
                "PutBucketLogging",
            )

    def _takes_logs(self, bucket: str) -> bool:
        try:
            policy = json.loads(self.client.get_bucket_policy(Bucket=bucket)["Policy"])
        except Exception as error:
            if error_code(error) in ("NoSuchBucket", "NoSuchBucketPolicy"):
                return False
            raise
        return any(
            statement["Effect"] == "Allow"
            and isinstance(statement["Principal"], dict)
            and LOGGER in _as_list(statement["Principal"].get("Service", ()))
            for statement in policy["Statement"]
        )


def _as_list(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)
