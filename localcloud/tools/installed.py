"""Programs of the machine's own that serve in place of one made here."""

import os
import re
import subprocess
from functools import cache
from pathlib import Path

from localcloud.tools.table import Serves, Tool

MARK = ".links-of-moka"
"""File in a folder of links to tools: what is found through such a folder says nothing of the machine."""


def on_path(name: str) -> Path | None:
    """The program of this name that PATH leads to, other than by links made here."""
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        program = Path(folder, name).absolute()
        if folder and not (program.parent / MARK).exists() and _runs(program):
            return program
    return None


def serving(tool: Tool) -> Path | None:
    """The program on PATH that serves as this tool; None when there is none, or in another version."""
    serves = tool.serves
    if serves is None or any(on_path(name) is None for name in serves.along):
        return None
    program = on_path(tool.name)
    return program if program and accepts(serves, said_version(program, serves.ask)) else None


def accepts(serves: Serves, version: tuple[int, ...] | None) -> bool:
    """Whether a version is among those that serve."""
    return version is not None and serves.least <= version < serves.below


@cache
def said_version(program: Path, ask: tuple[str, ...]) -> tuple[int, ...] | None:
    """The first version in what a program says; None when it says none or does not run."""
    try:
        said = subprocess.run([program, *ask], capture_output=True, text=True, timeout=20, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", said)
    return tuple(int(part or 0) for part in found.groups()) if found else None


def _runs(program: Path) -> bool:
    return program.is_file() and os.access(program, os.X_OK)
