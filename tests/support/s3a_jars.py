"""S3A for real Spark: jars that examples/jobs/Dockerfile adds."""

from collections.abc import Mapping
from pathlib import Path

from tests.support.maven_jar import maven_jar

JARS: Mapping[str, str] = {
    "org.apache.hadoop:hadoop-aws:3.4.2": "d2d24e6b715b5656b9d238bf13b6682a07e2004dd36aad74a73aeb854319f4d9",
    "software.amazon.awssdk:bundle:2.29.52": (
        "62638f33045690c6bc5e496b54b0b2e89a9ad38cbedacdf6e017fea6bc85f55c"
    ),
}
"""Coordinates -> SHA-256. The bundle has some 600 MB: it is fetched once, and kept in the user's cache."""


def s3a_jars() -> list[Path]:
    """The jars."""
    return [maven_jar(coordinates, sha256) for coordinates, sha256 in JARS.items()]
