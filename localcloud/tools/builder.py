"""Makes the missing tools, as many at once as the machine has room for."""

import shutil
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from itertools import groupby
from pathlib import Path

from localcloud.errors import Refusal
from localcloud.tools import cache, machine
from localcloud.tools.build_job import BuildJob
from localcloud.tools.commands import Commands, Failed
from localcloud.tools.table import GoProgram, Tool

Print = Callable[[str], None]

DISK_FULL = "no space left on device"


def series(tools: Iterable[Tool]) -> list[list[Tool]]:
    """Tools in series that can be made in parallel, the longest first; a series per folder of pins.

    Within a series they follow one another, as what the first compiles need not be compiled again.
    """

    def pins(tool: Tool) -> str:
        return tool.parts[0].pins

    groups = [list(group) for _, group in groupby(sorted(tools, key=pins), key=pins)]
    return sorted(groups, key=lambda group: -sum(tool.seconds for tool in group))


def make(tools: Sequence[Tool], say: Print) -> None:
    """Make these tools. Raises Refusal, after ending all that it started, when one cannot be made."""
    machine.check_go(tools)
    machine.check_room(tools)
    groups = series(tools)
    share = machine.share(machine.cores(), machine.memory(), most=len(groups))
    work = _Work(len(tools), share.packages, say)
    with ThreadPoolExecutor(share.streams) as pool:
        pending = [pool.submit(work.make_all, group) for group in groups]
        try:
            waiting = set(pending)
            while waiting:
                # Where the kernel gives a signal to another thread, Python handles it once this one goes on.
                done, waiting = wait(waiting, timeout=1, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()
        except BaseException:
            work.commands.stop()
            raise


class _Work:
    def __init__(self, count: int, packages: int, say: Print) -> None:
        self.commands = Commands()
        self._count = self._rest = count
        self._lock = threading.Lock()
        self._packages = packages
        self._say = say

    def make_all(self, tools: Sequence[Tool]) -> None:
        for tool in tools:
            self.commands.check()
            self._make(tool)
            with self._lock:
                self._rest -= 1

    def _make(self, tool: Tool) -> None:
        version = cache.version(tool.parts[0])
        compiled = isinstance(tool.parts[0], GoProgram)
        progress, result = ("building", "built") if compiled else ("fetching", "fetched")
        time_left = f"about {duration(tool.seconds)}; {self._rest} of {self._count} left"
        log = cache.root() / tool.name / "log"
        sentences = iter([f"waiting for another process that is {progress} {tool.name}"])

        def wait() -> None:
            for sentence in sentences:
                self._say(sentence)
            self.commands.check(0.5)

        try:
            with cache.locked(tool, wait):
                if cache.folder(tool).exists():
                    return
                self._say(f"{progress} {tool.name} {version} ({time_left})")
                started = time.monotonic()
                log.write_bytes(b"")
                self._publish(tool, log)
                self._say(f"{result} {tool.name} in {time.monotonic() - started:.0f} s")
        except Failed as failed:
            raise Refusal(_failure(tool, str(failed), log)) from None
        except OSError as error:
            raise Refusal(_failure(tool, error.strerror or str(error), log)) from None

    def _publish(self, tool: Tool, log: Path) -> None:
        """Make a tool in a folder aside, and move it to its place when it is complete."""
        work = cache.root() / tool.name / ".new"
        # Left by a build that was killed.
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        try:
            BuildJob(tool, work, log, self.commands, self._packages).run().rename(cache.folder(tool))
        finally:
            shutil.rmtree(work, ignore_errors=True)


def duration(seconds: int) -> str:
    """A time, for a sentence: 40 s, 5 min."""
    return f"{seconds} s" if seconds < 90 else f"{round(seconds / 60)} min"


def _failure(tool: Tool, reason: str, log: Path) -> str:
    output = log.read_text(errors="replace") if log.exists() else ""
    remedy = f"the full output is in {log}"
    if DISK_FULL in (output + reason).lower():
        remedy = (
            f"free {machine.room(tool.size + tool.scratch)}, or set MOKA_CACHE and GOCACHE to folders "
            "on another disk, then run this again"
        )
    return f"{tool.name} could not be made: {reason.rstrip('.:')} ({remedy})."
