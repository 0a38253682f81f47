"""Jars from Maven Central, by its ordinary client, kept in the user's cache by their SHA-256."""

import hashlib
import re
import subprocess
import tempfile
from pathlib import Path

from localcloud.tools import cache

ADDED = re.compile(r"--checksum=sha256:(\w+) \\\n\s+\$MAVEN/(\S+)/([^/\s]+)/([^/\s]+)/\S+\.jar\s")
"""A jar in a Dockerfile: SHA-256, group as a path, artifact, version."""

COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"


def dockerfile_jars(dockerfile: Path) -> list[Path]:
    """The jars of Maven Central that a Dockerfile adds."""
    return [
        maven_jar(f"{group.replace('/', '.')}:{artifact}:{version}", sha256)
        for sha256, group, artifact, version in ADDED.findall(dockerfile.read_text())
    ]


def maven_jar(coordinates: str, sha256: str) -> Path:
    """A jar, `group:artifact:version`, which is fetched where it is not in the user's cache yet."""
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
