"""A copy of this project's program, for settings of one's own."""

import shutil
from pathlib import Path

from localcloud.cloud import REPOSITORY

PACKAGES = ("stacks", "components", "moka", "services", "charts-values")
"""What the program is made of, besides `__main__.py`."""


def copy_program(folder: Path) -> None:
    """The program's own files, in a folder."""
    for name in PACKAGES:
        shutil.copytree(REPOSITORY / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "__main__.py", folder)
