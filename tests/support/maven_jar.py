"""Jars from Maven Central, by its ordinary client, kept in the user's cache by their SHA-256."""

import hashlib
import subprocess
import tempfile
from pathlib import Path

from localcloud.tools import cache

COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"


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
