"""Homes of Spark: the one that the laptop runs, and other releases from PyPI."""

import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path

from localcloud import tools
from localcloud.tools import cache

ARCHIVES: Mapping[str, str] = {
    "4.3.0": "e8c517948eff7088a7aa07449aa8eafa4a15a8d50319de2525a6fd26622476c6",
    "3.5.5": "6effc9ce98edf231f4d683fd14f7270629bf8458c628d6a2620ded4bb34f3cb9",
}
"""Release -> SHA-256 of pyspark's source archive, which has Spark's jars and programs."""


def spark_home(release: str | None = None) -> Path:
    """The home of a release, which is fetched where the user's cache does not have it; None: the laptop's."""
    if release is None:
        return tools.path("spark")
    kept = cache.root() / "spark" / f"{release}-{ARCHIVES[release][:10]}"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
            _unpack(_download(release, Path(folder)), Path(folder, "home"))
            Path(folder, "home").rename(kept)
    return kept


def _download(release: str, folder: Path) -> Path:
    requirements = folder / "requirements.txt"
    requirements.write_text(f"pyspark=={release} --hash=sha256:{ARCHIVES[release]}\n")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", "pyspark"]
    subprocess.run([*command, "--require-hashes", "-r", requirements, "-d", folder / "pip"], check=True)
    [archive] = (folder / "pip").iterdir()
    return archive


def _unpack(archive: Path, home: Path) -> None:
    with tarfile.open(archive, "r|*") as members:
        for member in filter(tarfile.TarInfo.isfile, members):
            _, _, path = member.name.partition("/deps/")
            if path.startswith(("bin/", "jars/")):
                member.name = path
                members.extract(member, home, filter="data")
