"""The project that the command line belongs to."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def project_version() -> str:
    """Its version, of `pyproject.toml`."""
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"])
