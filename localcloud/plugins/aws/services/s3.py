"""S3 as boto3's client answers it: moto's answers, but for the logging of buckets, which is kept in files.

moto writes a log for every call, so that no bucket with logs is ever empty, and takes few bucket policies.
"""

from typing import Any

from localcloud.plugins.aws.services.base import Members, Service

PUBLIC = ("public-read", "public-read-write", "authenticated-read")
"""ACLs that let others in."""


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

    def put_bucket_acl(self, **members: Any) -> Members:
        """Set who may do what with a bucket that has ACLs: its owner has to want them.

        https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-ownership-error-responses.html
        https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html
        """
        self.validate("PutBucketAcl", members)
        bucket, acl = members["Bucket"], members.get("ACL")
        if not self._has_acls(bucket) and acl not in ("private", "bucket-owner-full-control"):
            self.refuse("AccessControlListNotSupported", "The bucket does not allow ACLs", "PutBucketAcl")
        if acl in PUBLIC and self._blocks_public_acls(bucket):
            message = (
                "Access Denied: public ACLs are blocked by the BlockPublicAcls block public access setting"
            )
            self.refuse("AccessDenied", message, "PutBucketAcl")
        answer: Members = self.client.put_bucket_acl(**members)
        return answer

    def _has_acls(self, bucket: str) -> bool:
        try:
            answer = self.client.get_bucket_ownership_controls(Bucket=bucket)
        except self.client.exceptions.ClientError:
            return False
        return bool(answer["OwnershipControls"]["Rules"][0]["ObjectOwnership"] != "BucketOwnerEnforced")

    def _blocks_public_acls(self, bucket: str) -> bool:
        try:
            answer = self.client.get_public_access_block(Bucket=bucket)
        except self.client.exceptions.ClientError:
            # New buckets block them: https://docs.aws.amazon.com/AmazonS3/latest/userguide/create-bucket-faq.html
            return True
        return bool(answer["PublicAccessBlockConfiguration"].get("BlockPublicAcls", False))

    def delete_bucket(self, **members: Any) -> Members:
        """Delete an empty bucket."""
        answer: Members = self.client.delete_bucket(**members)
        self.store.remove("logging", members["Bucket"])
        return answer
