"""Homes of Spark: the one that the laptop runs, and other releases from PyPI."""

import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from localcloud import tools
from localcloud.tools import cache

ARCHIVES: Mapping[str, str] = {
    "4.3.0": "e8c517948eff7088a7aa07449aa8eafa4a15a8d50319de2525a6fd26622476c6",
    "3.5.5": "6effc9ce98edf231f4d683fd14f7270629bf8458c628d6a2620ded4bb34f3cb9",
}
"""Release -> SHA-256 of pyspark's source archive, which has Spark's jars and programs."""

PINNED = Path(tools.__file__).parent / "spark" / "requirements.txt"
"""Has the laptop's release, and the sum of its archive."""


def spark_home(release: str | None = None) -> Path:
    """The home of a release, which is fetched where the user's cache does not have it; None: the laptop's."""
    if release is None:
        return tools.path("spark")
    return _kept("spark", release, ARCHIVES[release], _home_path)


def python_path() -> list[Path]:
    """What the laptop's Spark has for programs in Python, as archives: pyspark, and what it speaks to Java
    with."""
    release, digest = re.findall(r"pyspark==(\S+) --hash=sha256:(\w+)", PINNED.read_text())[0]
    return sorted(_kept("spark-python", release, digest, _library_path).glob("*.zip"))


def _home_path(name: str) -> str | None:
    """Where a file of the archive is in a home."""
    _, _, path = name.partition("/deps/")
    return path if path.startswith(("bin/", "jars/")) else None


def _library_path(name: str) -> str | None:
    """Where a file of the archive is among the archives for Python."""
    _, _, path = name.partition("/lib/")
    return path if path.endswith(".zip") and "/" not in path else None


def _kept(what: str, release: str, digest: str, path_of: Callable[[str], str | None]) -> Path:
    """What is kept in the user's cache of a release's archive."""
    kept = cache.root() / what / f"{release}-{digest[:10]}"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
            _unpack(_download(release, digest, Path(folder)), Path(folder, "home"), path_of)
            Path(folder, "home").rename(kept)
    return kept


def _download(release: str, digest: str, folder: Path) -> Path:
    requirements = folder / "requirements.txt"
    requirements.write_text(f"pyspark=={release} --hash=sha256:{digest}\n")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", "pyspark"]
    subprocess.run([*command, "--require-hashes", "-r", requirements, "-d", folder / "pip"], check=True)
    [archive] = (folder / "pip").iterdir()
    return archive


def _unpack(archive: Path, home: Path, path_of: Callable[[str], str | None]) -> None:
    with tarfile.open(archive, "r|*") as members:
        for member in filter(tarfile.TarInfo.isfile, members):
            if path := path_of(member.name):
                member.name = path
                members.extract(member, home, filter="data")
