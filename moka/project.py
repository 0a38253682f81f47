"""The project that is deployed: this checkout, or a company's repository with the platform installed."""

import os
import tomllib
from importlib import metadata
from pathlib import Path

CODE = Path(__file__).resolve().parents[1]
"""Folder of the packages: a checkout, or where pip installs."""

MARK = "Pulumi.yaml"

VARIABLE = "MOKA_PROJECT"
"""Names the project to a program that has to run elsewhere."""


def project_folder(code: Path = CODE, folder: Path | None = None) -> Path:
    """The folder with the project's settings.

    A checkout is its own project, from wherever it is called. For installed packages it is the project that
    `folder`, by default what MOKA_PROJECT names or the working folder, is in, as Pulumi finds it; the folder
    itself if it is in none.
    """
    start = (folder or Path(os.environ.get(VARIABLE) or Path.cwd())).resolve()
    if (code / MARK).is_file():
        return code
    # The policy pack runs in a folder of the project, and the program in the project itself.
    return next((place for place in (start, *start.parents) if (place / MARK).is_file()), start)


def version() -> str:
    """The version of moka: that of `pyproject.toml` in a checkout, else of what is installed."""
    file = CODE / "pyproject.toml"
    if file.is_file():
        return str(tomllib.loads(file.read_text())["project"]["version"])
    return metadata.version("moka-eks")
