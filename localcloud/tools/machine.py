"""What the machine has to build with: Go, room on its disks, memory, cores."""

import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from localcloud.errors import Refusal
from localcloud.tools import cache
from localcloud.tools.table import PythonFiles, Tool

MIB = 2**20
GIB = 2**30

# A link of kube-apiserver takes 1.9 GiB, and the largest packages more than one to compile.
BYTES_PER_STREAM = 3 * GIB
BYTES_PER_PACKAGE = 1.5 * GIB


@dataclass(frozen=True)
class Share:
    """How much is done at once: series of tools side by side, and packages that each compiles at once."""

    streams: int
    packages: int


def share(cores: int, memory: float, most: int) -> Share:
    """Share cores and memory (bytes) out over at most so many series of tools."""
    streams = max(1, min(cores, most, int(memory / BYTES_PER_STREAM)))
    return Share(streams, max(1, min(cores, int(memory / streams / BYTES_PER_PACKAGE))))


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def memory() -> float:
    """Bytes of memory that are free, for the kernel and in the container, if this runs in one."""
    try:
        free = float(_number(r"MemAvailable:\s+(\d+)", Path("/proc/meminfo"))) * 1024
    except OSError:
        free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2
    group = Path("/sys/fs/cgroup")
    try:
        most, use = (float(_number(r"(\d+)", group / f"memory.{name}")) for name in ("max", "current"))
    except (OSError, ValueError):
        return free
    return min(free, most - use)


def check_go(tools: Sequence[Tool]) -> None:
    """Raises Refusal unless Go is there, in a version that can build these tools."""
    if not (pins := _go_pins(tools)):
        return
    go_tools = [tool for tool in tools if _go_pins([tool])]
    minimum = max(required_go(folder) for folder in pins)
    need = f"Making {_names(go_tools)} needs Go {'.'.join(map(str, minimum))} or newer"
    if shutil.which("go") is None:
        raise Refusal(f"{need}, and there is no `go` on PATH: install it, then run this again.")
    # In the folder that needs it: from 1.21 on, Go may fetch the version that a go.mod names.
    result = _go("version", folder=max(pins, key=required_go))
    match = re.search(r"go(\d+)\.(\d+)(?:\.(\d+))?", result.stdout)
    version = tuple(int(part or 0) for part in match.groups()) if match else (0,)
    if result.returncode or version < minimum:
        output = result.stdout.strip() or result.stderr.strip().rpartition("\n")[2]
        raise Refusal(f"{need}, and `go version` says “{output}”: install a newer one, then run this again.")


def check_room(tools: Sequence[Tool]) -> None:
    """Raises Refusal unless the disks have room for these tools and for what Go keeps of building them."""
    needs: Counter[Path] = Counter()
    needs[cache.root()] = sum(tool.size for tool in tools)
    if pins := _go_pins(tools):
        go_cache = _go("env", "GOCACHE", folder=pins[0]).stdout.strip()
        needs[Path(go_cache or cache.root())] += sum(tool.scratch for tool in tools)
    disks: dict[int, list[Path]] = {}
    for folder in needs:
        disks.setdefault(_existing(folder).stat().st_dev, []).append(folder)
    for folders in disks.values():
        amount = sum(needs[folder] for folder in folders)
        free = shutil.disk_usage(_existing(folders[0])).free // MIB
        if amount > free:
            raise Refusal(
                f"Making {_names(tools)} needs {room(amount)} on the disk of "
                f"{' and '.join(map(str, folders))}, which has {room(free)} left: free some, or set "
                "MOKA_CACHE and GOCACHE to folders on another disk, then run this again."
            )


def room(mebibytes: int) -> str:
    """Room on a disk, for a sentence: 26 MiB, 4.1 GiB."""
    return f"{mebibytes} MiB" if mebibytes < 1024 else f"{mebibytes / 1024:.1f} GiB"


def required_go(pins: Path) -> tuple[int, int, int]:
    """The Go version that the go.mod in a folder asks for."""
    major, minor, patch = _number(r"^go (\d+\.\d+(?:\.\d+)?)$", pins / "go.mod").split(".")
    return int(major), int(minor), int(patch)


def _go_pins(tools: Sequence[Tool]) -> list[Path]:
    names = {part.pins for tool in tools for part in tool.parts if not isinstance(part, PythonFiles)}
    return [cache.PINS / name for name in sorted(names)]


def _go(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ("go", *arguments), cwd=folder, env={**os.environ, "GOWORK": "off"}, capture_output=True, text=True
    )


def _names(tools: Sequence[Tool]) -> str:
    first, *rest = [tool.name for tool in tools]
    return f"{first} and {len(rest)} more" if rest else first


def _existing(folder: Path) -> Path:
    return next(place for place in (folder, *folder.parents) if place.exists())


def _number(pattern: str, file: Path) -> str:
    match = re.search(pattern, file.read_text(), re.MULTILINE)
    if match is None:
        raise ValueError(f"{file} has nothing like {pattern}")
    return match[1]
