"""What the example of an image of jobs holds beside Spark: S3A, its committers, and the AWS SDK."""

import re
from pathlib import Path

from localcloud.cloud import REPOSITORY
from tests.support.maven_jar import maven_jar

_DOCKERFILE = (REPOSITORY / "examples" / "jobs" / "Dockerfile").read_text()


def jars() -> list[Path]:
    """The jars from Maven that it adds; some 650 MB, fetched once."""
    pattern = r"--checksum=sha256:(\w+) \\\n\s+\$MAVEN/(\S+)/([^/\s]+)/([^/\s]+)/\S+\.jar\s"
    return [
        maven_jar(f"{group.replace('/', '.')}:{artifact}:{version}", sha256)
        for sha256, group, artifact, version in re.findall(pattern, _DOCKERFILE)
    ]
