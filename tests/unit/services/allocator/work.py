"""What processes of tests do."""

import os
import signal
import tempfile
from pathlib import Path

from services.allocator.failure import Failure


def where(number: int) -> tuple[int, int, str, str, list[str]]:
    """Number, process, folders, and what is there."""
    found = [path.name for path in Path().iterdir()]
    Path("left").write_text("by the last one")
    return number, os.getpid(), str(Path.cwd()), tempfile.gettempdir(), found


def hang(file: Path) -> None:
    """As a solver that does not end, and holds its thread."""
    file.write_text(str(os.getpid()))
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    while True:
        pass


def fail() -> None:
    """As work does that comes to nothing."""
    raise Failure("bucket", "One.\nTwo.")


def break_down() -> None:
    """As a program that is wrong."""
    raise KeyError("x")


def be_killed() -> None:
    """As by a kernel that has no memory."""
    os.kill(os.getpid(), signal.SIGKILL)
