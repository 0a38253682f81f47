"""The version of the platform that the command line belongs to."""

import tomllib
from importlib.metadata import version

from moka.project import CODE


def project_version() -> str:
    """That of `pyproject.toml` in a checkout, else of what is installed."""
    file = CODE / "pyproject.toml"
    if file.is_file():
        return str(tomllib.loads(file.read_text())["project"]["version"])
    return version("moka-eks-platform")
