"""What the image of the History Server holds, put together here: its Spark and the jars beside it."""

import re
from pathlib import Path

from localcloud.cloud import REPOSITORY
from tests.support.maven_jar import maven_jar
from tests.support.spark_releases import spark_home

_DOCKERFILE = (REPOSITORY / "images" / "history-server" / "Dockerfile").read_text()


def home() -> Path:
    """The home of its Spark."""
    [release] = re.findall(r"^FROM docker\.io/apache/spark:([0-9.]+)-", _DOCKERFILE, re.MULTILINE)
    return spark_home(release)


def jars() -> list[Path]:
    """The jars that it adds; some 700 MB, fetched once."""
    pattern = r"--checksum=sha256:(\w+) \\\n\s+\$MAVEN/(\S+)/([^/\s]+)/([^/\s]+)/\S+\.jar\s"
    return [
        maven_jar(f"{group.replace('/', '.')}:{artifact}:{version}", sha256)
        for sha256, group, artifact, version in re.findall(pattern, _DOCKERFILE)
    ]
