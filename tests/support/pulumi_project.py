"""Pulumi projects of a test's own: a small program, or a copy of this project."""

import sys
from pathlib import Path

from benchmarks.program import copy_program
from localcloud.cloud import REPOSITORY


def write_project(folder: Path, program: str) -> Path:
    """A project named like its folder, run with the Python packages of this process; the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "Pulumi.yaml").write_text(
        f"name: {folder.name}\nruntime:\n  name: python\n  options:\n    virtualenv: {sys.prefix}\n"
    )
    (folder / "__main__.py").write_text(program)
    return folder


def copy_project(folder: Path) -> Path:
    """This project's program, run with the Python packages of this process; the folder."""
    copy_program(folder)
    text = (REPOSITORY / "Pulumi.yaml").read_text().replace(".local/venv", sys.prefix)
    (folder / "Pulumi.yaml").write_text(text)
    return folder
