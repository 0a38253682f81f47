"""Wheels of this checkout in an environment of their own; what they require is taken from this process."""

import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterable
from pathlib import Path


def environment_with(folder: Path, wheels: Iterable[Path]) -> Path:
    """Make a virtual environment with the wheels; its Python."""
    venv.create(folder, symlinks=True)
    packages = folder / Path(sysconfig.get_path("purelib")).relative_to(sys.prefix)
    (packages / "of_the_tests.pth").write_text(sysconfig.get_path("purelib"))
    python = folder / "bin" / "python"
    uv = Path(sys.prefix, "bin", "uv")
    install = ("pip", "install", "--quiet", "--no-deps", "--no-build-isolation")
    subprocess.run([uv, *install, "--python", python, *wheels], check=True)
    return python
