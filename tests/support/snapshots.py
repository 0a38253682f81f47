"""What reports said of the recorded previews: made anew by `python -m tests.support.snapshots`."""

import gzip
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import yaml

from commands.reviewing import Review, review
from localcloud.cloud import REPOSITORY
from report.markdown import as_markdown
from stacks.settings import reading
from tests.support.previews import CHANGES, PREVIEWS

SNAPSHOTS = PREVIEWS.parent / "snapshots"


def recorded(name: str) -> str:
    """What the engine printed of a change of `CHANGES`."""
    return gzip.decompress((PREVIEWS / f"{name}.gz").read_bytes()).decode()


def reviewed(name: str) -> Review:
    """The review of it, with the settings of the change."""
    with TemporaryDirectory() as folder:
        project = Path(folder)
        shutil.copy(REPOSITORY / "Pulumi.yaml", project)
        (project / "stacks").mkdir()
        for path in (REPOSITORY / "stacks").glob("*.yaml"):
            shutil.copy(path, project / "stacks")
        file = project / "stacks" / f"{CHANGES[name].stack.partition('.')[0]}.yaml"
        settings = yaml.safe_load(file.read_text())
        CHANGES[name].settings(settings)
        file.write_text(yaml.safe_dump(settings, sort_keys=False))
        with patch.object(reading, "FOLDER", file.parent):
            return review(recorded(name), name)


def markdown(name: str) -> str:
    """What a report says of it."""
    return as_markdown(reviewed(name).report)


def file(name: str) -> Path:
    """Where it is kept."""
    return SNAPSHOTS / f"{name}.md"


REPORTED = [name for name in CHANGES if name != "refused"]
"""Changes of which there is a report: the engine refuses the other one."""


if __name__ == "__main__":
    for change in REPORTED:
        file(change).write_text(markdown(change))
