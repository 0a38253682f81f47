"""Whether objects of S3 are there, as far as the caller's own credentials let it be seen."""

from typing import Any, Literal

from moka.jobs.files import S3Object

SECONDS = 5
"""Patience with AWS: a look-up is a courtesy."""

Answer = Literal["found", "no bucket", "no object"]


class NotSeen(Exception):
    """Why it cannot be told whether an object is there, as a clause."""


class ObjectLookup:
    """Asks S3 for objects, as the caller: for each once, and for none any more once nobody answers."""

    def __init__(self, region: str) -> None:
        self._region = region
        self._client: Any = None
        self._answers: dict[S3Object, Answer] = {}
        self._unavailable: str | None = None

    def find(self, s3_object: S3Object) -> Answer:
        """Whether an object is there. Raises NotSeen."""
        if s3_object not in self._answers:
            self._answers[s3_object] = self._find(s3_object)
        return self._answers[s3_object]

    def _find(self, s3_object: S3Object) -> Answer:
        if self._status("head_object", Bucket=s3_object.bucket, Key=s3_object.key) == "200":
            return "found"
        return "no object" if self._status("head_bucket", Bucket=s3_object.bucket) == "200" else "no bucket"

    def _status(self, operation: str, **of: str) -> str:
        """200 or 404. Raises NotSeen."""
        # Imported here, as only jobs with files on S3 need it.
        from botocore.exceptions import BotoCoreError, ClientError

        if self._unavailable:
            raise NotSeen(self._unavailable)
        try:
            getattr(self._connected(), operation)(**of)
        except ClientError as error:
            code = str(error.response["Error"]["Code"])
            if code in ("404", "NoSuchKey", "NoSuchBucket"):
                return "404"
            raise NotSeen(f"your own AWS credentials may not see it ({code})") from None
        except BotoCoreError as error:
            self._unavailable = str(error).rstrip(".")
            raise NotSeen(self._unavailable) from None
        return "200"

    def _connected(self) -> Any:
        if self._client is None:
            import boto3
            from botocore.config import Config

            patience = Config(
                connect_timeout=SECONDS, read_timeout=SECONDS, retries={"total_max_attempts": 2}
            )
            self._client = boto3.client("s3", region_name=self._region, config=patience)
        return self._client
