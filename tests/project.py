"""A copy of this project that a test may change."""

import shutil
import sys
from pathlib import Path

from localcloud.cloud import REPOSITORY

PACKAGES = ("stacks", "components", "jobs", "driver_finalizer", "charts-values")
"""What the program is made of, besides `__main__.py`."""


def copy_project(folder: Path) -> Path:
    """The program's own files in a folder, run with the Python packages of this process."""
    for name in PACKAGES:
        shutil.copytree(REPOSITORY / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "__main__.py", folder)
    described = (REPOSITORY / "Pulumi.yaml").read_text().replace(".local/venv", sys.prefix)
    (folder / "Pulumi.yaml").write_text(described)
    return folder
