"""Where tools that were made are kept: a folder per tool and version, shared by all checkouts of a user."""

import fcntl
import hashlib
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from localcloud.tools.table import OWN_PACKAGE, GoProgram, Part, PythonFiles, Tool

PINS = Path(__file__).resolve().parent


def root() -> Path:
    """The cache: `MOKA_CACHE`, or `moka` in the user's cache folder."""
    if place := os.environ.get("MOKA_CACHE"):
        return Path(place).absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "moka"


def folder(tool: Tool) -> Path:
    """Where a tool is kept, whether it exists or not."""
    return root() / tool.name / f"{version(tool.parts[0])}-{key(tool)}"


def version(part: Part) -> str:
    """The version that the pins name."""
    source = re.escape(part.source)
    pin = rf"^{source}==(\S+)" if isinstance(part, PythonFiles) else rf"^(?:require|)\s+{source} (v\S+)"
    match = re.search(pin, pins(part)[0].read_text(), re.MULTILINE)
    assert match, f"{pins(part)[0]} does not name {part.source}"
    return match[1]


def key(tool: Tool) -> str:
    """A few characters that change with anything that the tool is made from, and with the machine's kind."""
    machine = os.uname()
    kind = f"{machine.sysname} {machine.machine} {tool.parts!r} {tool.programs}"
    for part in tool.parts:
        if isinstance(part, GoProgram) and part.tags:
            kind += f" {part.tags}"
    files = [file.read_bytes() for part in tool.parts for file in pins(part)]
    return hashlib.sha256(b"\0".join([kind.encode(), *files])).hexdigest()[:10]


def pins(part: Part) -> tuple[Path, ...]:
    """The files that pin what a part is made from, the one that names its version first."""
    folder = PINS / part.pins
    if isinstance(part, PythonFiles):
        return (folder / "requirements.txt",)
    own = isinstance(part, GoProgram) and part.package == OWN_PACKAGE
    return (folder / "go.mod", folder / "go.sum", *(sorted(folder.glob("*.go")) if own else ()))


@contextmanager
def locked(tool: Tool, wait: Callable[[], None]) -> Iterator[None]:
    """Keep other processes from making the same tool; `wait` is called again and again while one does."""
    folder = root() / tool.name
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                wait()
        yield
