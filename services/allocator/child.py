"""Work in processes of its own.

Threads would not do: a search of a solver that hangs can be ended only with its process, the GiB that DuckDB
and the solver have had go back to the machine only with it, and Python's own part of the work would keep
`/healthz` waiting.
"""

import asyncio
import logging
import multiprocessing
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TypeVar, TypeVarTuple, Unpack

from services.allocator.failure import Failure
from services.common import logs

# Not forked: this process has threads.
SPAWN = multiprocessing.get_context("spawn")

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")

log = logging.getLogger(__name__)


class Children:
    """Processes, one at a time: memory is for one.

    folder: in which each works. Nobody else does, so it is emptied: what was killed leaves its files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = asyncio.Lock()

    async def run(self, seconds: float, work: Callable[[Unpack[Arguments]], T], *arguments: *Arguments) -> T:
        """What a function of a module returns, called in a process that ends with it, or after so long.

        Raises Failure.
        """
        async with self._lock:
            with _emptied(self._folder):
                return await _in_child(seconds, self._folder, work, *arguments)


@contextmanager
def _emptied(folder: Path) -> Iterator[None]:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def _in_child(
    seconds: float, folder: Path, work: Callable[[Unpack[Arguments]], T], *arguments: *Arguments
) -> T:
    receiver, sender = SPAWN.Pipe(duplex=False)
    process = SPAWN.Process(target=_child, args=(sender, folder, work, arguments), daemon=True)
    process.start()
    # Else its end would not be noticed here.
    sender.close()
    try:
        async with asyncio.timeout(seconds):
            await _readable(receiver)
        done: T | Failure = receiver.recv()
    except TimeoutError:
        raise Failure("time", f"The work was stopped because it took longer than {seconds:g} s.") from None
    except EOFError:
        process.join()
        raise Failure(
            "fault",
            f"The process exited with {process.exitcode} before it finished (-9: killed by the kernel, out "
            "of memory).",
        ) from None
    finally:
        process.kill()
        process.join()
        receiver.close()
    if isinstance(done, Failure):
        raise done
    return done


async def _readable(receiver: Connection) -> None:
    """Wait until there is something to read, or nobody any more who writes."""
    loop, readable = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(receiver.fileno(), readable.set)
    try:
        await readable.wait()
    finally:
        loop.remove_reader(receiver.fileno())


def _child(
    sender: Connection,
    folder: Path,
    work: Callable[[Unpack[Arguments]], T],
    arguments: tuple[*Arguments],
) -> None:
    logs.configure()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    # Where DuckDB writes what is too much for memory, and Python what is temporary.
    os.chdir(folder)
    tempfile.tempdir = str(folder)
    try:
        done: T | Failure = work(*arguments)
    except Failure as failure:
        done = failure
    except Exception as error:
        log.exception("this is a fault of the program")
        done = Failure("fault", f"A fault of the program: {type(error).__name__}: {error}")
    sender.send(done)


def _end_with_parent() -> None:
    """However that ends: a plan that nobody waits for is not to be proposed beside the next one."""
    parent = multiprocessing.parent_process()
    assert parent is not None, "this runs in a child"
    parent.join()
    os._exit(1)
