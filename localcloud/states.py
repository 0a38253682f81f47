"""States of stacks as the engine's file backend keeps them, read without the engine; and copies of them.

The engine writes a state beside the old one and renames it, so a kill leaves a whole one. A full disk does
not: the engine's blob library (gocloud.dev v0.37.0, `Bucket.WriteAll` and `fileblob.writer.Close`) renames
what it could write, nothing at times, and the next write copies that to `.bak`. So there is a third copy, of
ours, from before each run of the engine.
"""

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from localcloud.cloud import RUN
from localcloud.errors import Refusal


class UnreadableState(Refusal):
    """Neither a stack's state nor one of its copies can be read."""


@dataclass(frozen=True)
class StateFile:
    """The state of one stack.

    path: the engine's file. copy: ours, from before the engine's last run.
    """

    path: Path
    copy: Path

    @property
    def stack(self) -> str:
        """Name of the stack."""
        return self.path.stem

    @property
    def backup(self) -> Path:
        """The engine's copy, from before its last write."""
        return self.path.with_name(f"{self.path.name}.bak")

    def deployment(self) -> dict[str, Any]:
        """The deployment in the state, or in its newest copy that can be read; empty without such a stack.

        Raises UnreadableState where none can be read.
        """
        if not self.path.is_file():
            return {}
        checkpoint = json.loads(self._readable().read_text()).get("checkpoint") or {}
        # `pulumi stack import` writes it with a capital letter.
        return checkpoint.get("latest") or checkpoint.get("Latest") or {}

    @property
    def is_cut_short(self) -> bool:
        """Whether there is a state that cannot be read, whatever its copies are."""
        return self.path.is_file() and not _whole(self.path)

    def restore(self) -> str | None:
        """Put the newest copy in place of a state that cannot be read; a sentence if it did.

        Raises UnreadableState where no copy can be read either.
        """
        self._drop_cut_attributes()
        if not self.path.is_file() or (source := self._readable()) == self.path:
            return None
        _write(self.path, source.read_bytes())
        since = "its last write" if source == self.backup else "pulumi's last run"
        return (
            f"The state of stack {self.stack} was cut short as it was written: {source.name}, from before "
            f"{since}, is in force; what was made since is not in it."
        )

    def keep(self) -> None:
        """Copy the state, if it can be read and there is room; the copy is whole, or the earlier one."""
        with suppress(OSError):
            if _whole(self.path):
                self.copy.parent.mkdir(parents=True, exist_ok=True)
                _write(self.copy, self.path.read_bytes())

    def remove(self) -> None:
        """Remove the state and its copies."""
        for path in (self.path, self.backup, self.copy):
            path.unlink(missing_ok=True)

    def _drop_cut_attributes(self) -> None:
        """The engine reads no state ("EOF") beside attributes that a kill cut short, and does without them.

        The library writes them in place (gocloud.dev v0.37.0, blob/fileblob/attrs.go: `setAttrs`).
        """
        for file in (self.path, self.backup):
            attributes = file.with_name(f"{file.name}.attrs")
            with suppress(FileNotFoundError):
                try:
                    json.loads(attributes.read_bytes())
                except ValueError:
                    attributes.unlink()

    def _readable(self) -> Path:
        for path in (self.path, self.backup, self.copy):
            if _whole(path):
                return path
        raise UnreadableState(
            f"The state of stack {self.stack} is cut short ({self.path}), and no copy of it can be read: run "
            f"`{RUN} down`, which clears away what it had on the laptop."
        )


def _whole(path: Path) -> bool:
    """Whether a file is a state to its end."""
    try:
        return isinstance(json.loads(path.read_bytes()).get("checkpoint"), dict)
    except (OSError, ValueError, AttributeError):
        return False


def _write(path: Path, content: bytes) -> None:
    """Write a file so that it is whole, or as it was, whatever happens meanwhile."""
    new = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        with new.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
