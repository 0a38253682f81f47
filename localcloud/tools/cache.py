"""Where tools that were made are kept: a folder per tool and version, shared by all checkouts of a user."""

import fcntl
import hashlib
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from localcloud.tools.table import Made, PythonFiles, Tool

HERE = Path(__file__).resolve().parent


def root() -> Path:
    """The cache: `MOKA_CACHE`, or `moka` in the user's cache folder."""
    if named := os.environ.get("MOKA_CACHE"):
        return Path(named).absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "moka"


def folder(tool: Tool) -> Path:
    """Where a tool is kept, whether or not it is there yet."""
    return root() / tool.name / f"{version(tool.made[0])}-{key(tool)}"


def version(made: Made) -> str:
    """The version that the pins name."""
    source = re.escape(made.source)
    named = rf"^{source}==(\S+)" if isinstance(made, PythonFiles) else rf"^(?:require|)\s+{source} (v\S+)"
    found = re.search(named, pins(made)[0].read_text(), re.MULTILINE)
    assert found, f"{pins(made)[0]} does not name {made.source}"
    return found[1]


def key(tool: Tool) -> str:
    """A few characters that change with anything that the tool is made from, and with the machine's kind."""
    machine = os.uname()
    kind = f"{machine.sysname} {machine.machine} {tool.made!r} {tool.programs}"
    files = [file.read_bytes() for made in tool.made for file in pins(made)]
    return hashlib.sha256(b"\0".join([kind.encode(), *files])).hexdigest()[:10]


def pins(made: Made) -> tuple[Path, ...]:
    """The files that pin what something is made from, the one that names its version first."""
    names = ("requirements.txt",) if isinstance(made, PythonFiles) else ("go.mod", "go.sum")
    return tuple(HERE / made.pins / name for name in names)


@contextmanager
def locked(tool: Tool, wait: Callable[[], None]) -> Iterator[None]:
    """Keep other processes from making the same tool; `wait` is called over and over while one does."""
    place = root() / tool.name
    place.mkdir(parents=True, exist_ok=True)
    with (place / ".lock").open("w") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                wait()
        yield
