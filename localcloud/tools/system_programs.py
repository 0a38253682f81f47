"""Programs of the machine's own that can be used in place of one made here."""

import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

from localcloud.tools.table import Tool, Versions

MARK = ".links-of-moka"
"""File in a folder of links to tools: programs there are not the machine's own."""


def on_path(name: str) -> Path | None:
    """The program of this name on PATH, links made here left out."""
    folders = os.environ.get("PATH", "").split(os.pathsep)
    other_folders = (folder for folder in folders if folder and not Path(folder, MARK).exists())
    program = shutil.which(name, path=os.pathsep.join(other_folders))
    return Path(program).absolute() if program else None


def suitable(tool: Tool) -> Path | None:
    """The program on PATH that can be this tool; None when there is none, or in another version."""
    versions = tool.installed
    if versions is None or any(on_path(name) is None for name in versions.companions):
        return None
    program = on_path(tool.name)
    return program if program and accepts(versions, version_of(program, versions.arguments)) else None


def accepts(versions: Versions, version: tuple[int, ...] | None) -> bool:
    """Whether a version is among these."""
    return version is not None and versions.minimum <= version < versions.below


@cache
def version_of(program: Path, arguments: tuple[str, ...]) -> tuple[int, ...] | None:
    """The first version in a program's output; None when it has none or does not run."""
    command = (str(program), *arguments)
    try:
        output = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", output)
    return tuple(int(part or 0) for part in match.groups()) if match else None
