"""Files that several processes write and read."""

import fcntl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write_private(path: Path, content: str) -> None:
    """Write a file, in one step, that only its owner can read at any moment."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as unfinished:
        try:
            unfinished.write(content)
            unfinished.flush()
        except OSError:
            # Of a full disk, what was there before stays, and nothing else.
            Path(unfinished.name).unlink()
            raise
    Path(unfinished.name).replace(path)


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Keep other processes and threads that lock the same file from going on at the same time."""
    with file.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
