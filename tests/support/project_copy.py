"""A copy of this project that a test may change."""

import sys
from pathlib import Path

from benchmarks.program import copy_program
from localcloud.cloud import REPOSITORY


def copy_project(folder: Path) -> Path:
    """The program in a folder, run with the Python packages of this process."""
    copy_program(folder)
    described = (REPOSITORY / "Pulumi.yaml").read_text().replace(".local/venv", sys.prefix)
    (folder / "Pulumi.yaml").write_text(described)
    return folder
