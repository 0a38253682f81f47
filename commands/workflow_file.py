"""Workflows in a file, for commands that take its name."""

from pathlib import Path

from moka.mistakes import InvalidDocument
from moka.workflows.definitions import Workflow, loads


def workflows_in(file: Path) -> dict[str, Workflow]:
    """The workflows in a file, by name. Raises InvalidDocument."""
    try:
        return dict(loads(file.read_bytes(), str(file)).workflows)
    except OSError as error:
        raise InvalidDocument(f"{file} cannot be read ({error.strerror}): name another file.") from None
