"""`moka sbom`: what the platform and its images are made of, as files."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from commands.refusals import exit_on, refuse, write_folder
from moka import catalog
from moka.project import project_folder, version
from sbom.documents import documents

EPOCH = "SOURCE_DATE_EPOCH"


def sbom(
    to: Annotated[Path, typer.Option(metavar="FOLDER", help="Write them there, a file each.")] = Path(
        ".local/sbom"
    ),
) -> None:
    """Write software bills of materials, in CycloneDX.

    platform.cdx.json has the Python packages, charts and public images by name, version and hash; each image
    of ours has a file of its own. What is inside of images that others build, their own bills say. With
    SOURCE_DATE_EPOCH set, as `make sbom` sets it to the last commit's, the same sources give the same files.

    \b
    Examples:
      moka sbom
      moka sbom --to bills

    Exit status: 0 written, 2 not.
    """
    try:
        created = (
            datetime.fromtimestamp(int(os.environ[EPOCH]), UTC) if EPOCH in os.environ else datetime.now(UTC)
        )
    except (ValueError, OverflowError, OSError):
        refuse(f"{EPOCH} is not a number of seconds since 1970: correct it, or leave it out.")
    with exit_on(ValueError):
        files = documents(project_folder(), catalog.read(), version(), created)
    write_folder(to, files)
    print("\n".join(str(to / name) for name in files))
