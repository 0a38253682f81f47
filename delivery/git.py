"""What git knows of a change: which files it has, and the tree as it was before."""

import io
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

Difference = Literal["added", "removed", "changed"]

LETTERS: dict[str, Difference] = {"A": "added", "D": "removed"}
"""Of `git diff --name-status`; all others are changes of a file that stays."""


class GitError(Exception):
    """Why git cannot say it, in a sentence."""


def fork_point(repository: Path, base: str) -> str:
    """The commit from which the working tree went its own way from `base`, a branch or commit.

    Raises GitError where there is none, as in a clone without history.
    """
    return _git(repository, "merge-base", base, "HEAD").decode().strip()


def changed_files(repository: Path, commit: str) -> dict[str, Difference]:
    """Path of every file that differs between a commit and the working tree -> how.

    Files that git does not track, and is not told to ignore, count as added.
    """
    words = _git(repository, "diff", "--name-status", "--no-renames", "-z", commit).decode().split("\0")
    tracked_files = {
        path: LETTERS.get(letter, "changed") for letter, path in zip(words[0::2], words[1::2], strict=False)
    }
    untracked_files = (
        _git(repository, "ls-files", "--others", "--exclude-standard", "-z").decode().split("\0")
    )
    return tracked_files | dict.fromkeys(filter(None, untracked_files), "added")


@contextmanager
def tree_at(repository: Path, commit: str) -> Iterator[Path]:
    """The tree of a commit, in a folder that is removed afterwards."""
    archive = io.BytesIO(_git(repository, "archive", "--format=tar", commit))
    with TemporaryDirectory(prefix="moka-") as folder:
        with tarfile.open(fileobj=archive) as tar:
            tar.extractall(folder, filter="data")
        yield Path(folder).resolve()


def _git(repository: Path, *arguments: str) -> bytes:
    completed = subprocess.run(["git", "-C", str(repository), *arguments], capture_output=True)
    if completed.returncode:
        reason = completed.stderr.decode().strip() or "no such commit is an ancestor of both"
        raise GitError(
            f"git {' '.join(arguments)} failed: {reason}. Name a branch or commit whose history is here; "
            "a clone in CI has it with a depth of 0."
        )
    return completed.stdout
