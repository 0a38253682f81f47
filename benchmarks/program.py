"""A copy of this project's program, for settings of one's own."""

import shutil
from pathlib import Path

from localcloud.cloud import REPOSITORY

PACKAGES = ("stacks", "moka", "services", "clients", "charts-values")
FILES = ("__main__.py", "localcloud.yaml", "pyproject.toml")
"""What the program is made of, what the laptop cloud has to know of it, and its version."""


def copy_program(folder: Path) -> None:
    """The program's own files, in a folder."""
    for name in PACKAGES:
        shutil.copytree(REPOSITORY / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        shutil.copy(REPOSITORY / name, folder)
