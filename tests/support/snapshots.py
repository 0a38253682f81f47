"""What reports said of the recorded previews: made anew by `python -m tests.support.snapshots`."""

import gzip
from pathlib import Path

from report.examination import examine
from report.markdown import as_markdown
from report.preview import read
from tests.support.previews import CHANGES, PREVIEWS

SNAPSHOTS = PREVIEWS.parent / "snapshots"


def recorded(name: str) -> str:
    """What the engine printed of a change of `CHANGES`."""
    return gzip.decompress((PREVIEWS / f"{name}.gz").read_bytes()).decode()


def markdown(name: str) -> str:
    """What a report says of it."""
    return as_markdown(examine(read(recorded(name), name)))


def file(name: str) -> Path:
    """Where it is kept."""
    return SNAPSHOTS / f"{name}.md"


REPORTED = [name for name in CHANGES if name != "refused"]
"""Changes of which there is a report: the engine refuses the other one."""


if __name__ == "__main__":
    for change in REPORTED:
        file(change).write_text(markdown(change))
