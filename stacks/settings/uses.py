"""Settings of buckets that jobs use and that are not the environment's own."""

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from moka.documents import Form, Section
from stacks.settings.fields import KmsKey, Region

Prefix = Annotated[
    str,
    Form(
        r"(?=.{1,256}$)([A-Za-z0-9!_.()=-][A-Za-z0-9!_.()= -]*/)+",
        "write folders with a slash at the end, such as orders/daily/, without `*`, `?` and `$`",
    ),
]
"""The beginning of keys, as IAM reads it: https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html"""


class Use(Section):
    """A bucket that jobs use: another environment's, which has to grant it, or another one of yours."""

    instead: ClassVar[Mapping[str, str]] = {
        "access": "write `uses: {<this name>: read}` (or write) in the job namespaces whose jobs use it"
    }

    bucket: str = Field(description="Name of the bucket.")
    key: KmsKey | None = Field(
        default=None, description="ARN of the key that encrypts it; none where S3's own key does."
    )
    region: Region | None = Field(
        default=None, description="Where it is, by default where its key is, or else the cluster."
    )
    prefixes: list[Prefix] = Field(
        default_factory=list,
        max_length=8,
        description="Folders of it that jobs may use, such as `orders/`; by default all of it.",
    )

    def region_of(self, default: str) -> str:
        """Where the bucket is; its key is there too (S3 User Guide, "Using server-side encryption with KMS").

        default: the region where nothing else says it.
        """
        return self.region or (self.key.split(":")[3] if self.key else default)

    @property
    def folders(self) -> list[str]:
        """What jobs may use, `s3a://bucket/` or folders in it."""
        return [f"s3a://{self.bucket}/{prefix}" for prefix in self.prefixes or [""]]
