"""What the image of the History Server holds, put together here: its Spark and the jars beside it."""

import re
from pathlib import Path

from localcloud.cloud import REPOSITORY
from tests.support.maven_jar import dockerfile_jars
from tests.support.spark_releases import spark_home

_DOCKERFILE = REPOSITORY / "images" / "history-server" / "Dockerfile"


def home() -> Path:
    """The home of its Spark."""
    [release] = re.findall(r"^FROM docker\.io/apache/spark:([0-9.]+)-", _DOCKERFILE.read_text(), re.MULTILINE)
    return spark_home(release)


def jars() -> list[Path]:
    """The jars that it adds; some 700 MB, fetched once."""
    return dockerfile_jars(_DOCKERFILE)
