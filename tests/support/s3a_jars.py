"""S3A for real Spark: jars that examples/jobs/Dockerfile adds, from Maven Central by its ordinary client."""

import hashlib
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from localcloud.tools import cache

COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"

JARS: Mapping[str, str] = {
    "org.apache.hadoop:hadoop-aws:3.4.2": "d2d24e6b715b5656b9d238bf13b6682a07e2004dd36aad74a73aeb854319f4d9",
    "software.amazon.awssdk:bundle:2.29.52": (
        "62638f33045690c6bc5e496b54b0b2e89a9ad38cbedacdf6e017fea6bc85f55c"
    ),
}
"""Coordinates -> SHA-256. The bundle has some 600 MB: it is fetched once, and kept in the user's cache."""


def s3a_jars() -> list[Path]:
    """The jars, which are fetched where they are not in the user's cache yet."""
    return [_jar(coordinates, sha256) for coordinates, sha256 in JARS.items()]


def _jar(coordinates: str, sha256: str) -> Path:
    _, artifact, version = coordinates.split(":")
    kept = cache.root() / "jars" / sha256 / f"{artifact}-{version}.jar"
    if kept.exists():
        return kept
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
        command = ["mvn", "--batch-mode", "--quiet", COPY, f"-Dartifact={coordinates}"]
        subprocess.run([*command, f"-DoutputDirectory={folder}"], check=True, cwd=folder)
        [jar] = Path(folder).glob("*.jar")
        with jar.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        assert digest == sha256, f"{coordinates} has SHA-256 {digest}"
        jar.rename(kept)
    return kept
