"""The wheels that this checkout is built into: library, platform, laptop cloud, and the client of Archer."""

import subprocess
import sys
from pathlib import Path

from moka.project import CODE

PROJECTS = {
    "moka-eks": ".",
    "moka-eks-platform": "packages/platform",
    "moka-laptop-cloud": "localcloud",
    "moka-archer": "clients/archer",
}
"""Name of a distribution -> folder of its pyproject.toml."""


class BuildFailed(Exception):
    """A wheel could not be built; the last line of the builder says why."""


def build_wheels(to: Path) -> list[Path]:
    """Build each distribution's wheel into a folder, which is made; the files, in the order of PROJECTS.

    Raises BuildFailed; where this is no checkout, too.
    """
    require_checkout()
    return [_build(name, CODE / folder, to) for name, folder in PROJECTS.items()]


def require_checkout() -> None:
    """Raise BuildFailed where moka is installed, without what wheels are built of."""
    if not (CODE / PROJECTS["moka-eks-platform"]).is_dir():
        raise BuildFailed(
            "This moka is installed, and a repository begins with wheels that a checkout is built into: run "
            "`.local/venv/bin/moka` of a checkout."
        )


def _build(name: str, folder: Path, to: Path) -> Path:
    command = (
        sys.executable,
        "-m",
        "hatchling",
        "build",
        "--target",
        "wheel",
        "--directory",
        str(to.resolve()),
    )
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    [*_, last] = done.stdout.strip().splitlines() or [""]
    if done.returncode:
        raise BuildFailed(f"The wheel of {name} could not be built: {last}")
    return to / Path(last).name
