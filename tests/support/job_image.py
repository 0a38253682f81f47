"""What the example of an image of jobs holds beside Spark: S3A, its committers, and the AWS SDK."""

from pathlib import Path

from localcloud.cloud import REPOSITORY
from tests.support.maven_jar import dockerfile_jars


def jars() -> list[Path]:
    """The jars from Maven that it adds; some 650 MB, fetched once."""
    return dockerfile_jars(REPOSITORY / "examples" / "jobs" / "Dockerfile")
