"""Runs the programs that make tools, so that all of them can be ended at once."""

import os
import signal
import subprocess
import threading
from contextlib import suppress
from pathlib import Path


class Stopped(Exception):
    """The command was ended, or not started, because all commands are to end."""


class Failed(Exception):
    """A command failed; with the last line of its output."""


class Commands:
    """Runs commands from several threads; their output goes to one log a tool."""

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()

    def run(self, *command: str | Path, log: Path, folder: Path) -> None:
        """Run a command to its end. Raises Failed, or Stopped."""
        with log.open("ab") as output, self._lock:
            self.check()
            process = subprocess.Popen(
                command,
                cwd=folder,
                # A workspace around this checkout would take the place of our pins.
                env={**os.environ, "GOWORK": "off"},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            self._running.add(process)
        status = process.wait()
        with self._lock:
            self._running.discard(process)
        self.check()
        if status:
            raise Failed(last_line(log) or f"{command[0]} ended with status {status}")

    def check(self, seconds: float = 0) -> None:
        """Wait for some seconds. Raises Stopped once all commands are to end."""
        if self._stopping.wait(seconds) if seconds else self._stopping.is_set():
            raise Stopped

    def stop(self) -> None:
        """End the running commands, and start no more."""
        self._stopping.set()
        with self._lock:
            running = list(self._running)
        for process in running:
            _signal(process, signal.SIGINT)
        for process in running:
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                _signal(process, signal.SIGKILL)


def last_line(log: Path) -> str:
    """The last line of a log that is not blank."""
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines()]
    return next((line for line in reversed(lines) if line), "")


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)
