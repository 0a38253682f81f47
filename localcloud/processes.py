"""Programs that go on running after the one that started them has ended."""

import contextlib
import json
import os
import random
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from localcloud.errors import Refusal

# Below the ports that systems give to outgoing connections, which would take a port that is kept.
PORTS = range(20000, 30000)

# The shell ends at once, so the program is nobody's child; it waits for a word before it begins, and does
# not begin when we are killed before its pid is written down.
_LAUNCH = 'log=$1; shift; exec 3<&0; { read -r go <&3 && exec "$@" 3<&- </dev/null >"$log" 2>&1; } & echo $!'

# Wall clocks are set right now and then, and a process's start moves along.
_CLOCK_TOLERANCE = 60.0

_LOOK_AGAIN = 0.05

_TROUBLE = ("error", "failed", "fatal", "panic", "cannot", "not defined", "unable")


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on."""
    for port in random.sample(PORTS, len(PORTS)):
        if not port_taken(port):
            return port
    raise Refusal(f"Every port from {PORTS.start} to {PORTS.stop - 1} is taken: end what holds them.")


def port_stays_taken(port: int, patience: float = 3) -> bool:
    """Whether somebody listens on this port and goes on to: one who was killed just now lets go of it."""
    deadline = time.monotonic() + patience
    while taken := port_taken(port):
        if time.monotonic() > deadline:
            break
        time.sleep(_LOOK_AGAIN)
    return taken


def port_taken(port: int) -> bool:
    """Whether somebody listens on this port of 127.0.0.1."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False


def answers(url: str, authority: Path | None = None) -> bool:
    """Whether a request to this URL succeeds; over https, with a certificate of this authority's (PEM)."""
    trusted = ssl.create_default_context(cafile=authority) if authority else None
    try:
        with urllib.request.urlopen(url, timeout=5, context=trusted):
            return True
    except (urllib.error.URLError, OSError):
        return False


@dataclass(frozen=True)
class Process:
    """A program in the background, with its pid in `<name>.pid` and what it prints in `<name>.log`.

    folder: where these files are; made when the program is started.
    """

    folder: Path
    name: str

    @property
    def log(self) -> Path:
        """What it printed since it was last started; `.log.1` has the time before."""
        return self.folder / f"{self.name}.log"

    @property
    def pid_file(self) -> Path:
        """Its pid, when that process began, and what it was started as, in JSON."""
        return self.folder / f"{self.name}.pid"

    def start(
        self,
        argv: Sequence[str],
        env: Mapping[str, str] | None = None,
        ready: Callable[[], bool] | None = None,
        patience: float = 60,
    ) -> None:
        """Start the program unless it runs, and return once it is ready.

        env: its environment beyond ours.
        ready: asked until it says so; without it, a program that outlives its first moment is ready.
        patience: seconds that it may take to become ready.
        Raises Refusal when it ends or does not become ready.
        """
        # One that was killed just now may be alive for a moment.
        if self.alive() and (ready is None or self._becomes(ready, patience)):
            return
        if not self.alive():
            self._launch(argv, env or {})
        self.wait(ready, patience)

    def alive(self) -> bool:
        """Whether the program that was started runs."""
        return self._process() is not None

    def runs_as(self, argv: Sequence[str], env: Mapping[str, str] | None = None) -> bool:
        """Whether it runs, and was started with just this."""
        return self.alive() and self._noted().get("as") == [list(argv), dict(env or {})]

    def stop(self, patience: float = 15) -> None:
        """Ask the program to end, and end it and its children after `patience` seconds."""
        process = self._process()
        if process is not None:
            family = _family(process)
            with contextlib.suppress(psutil.NoSuchProcess):
                process.terminate()
            _await_end([process], patience)
            for member in family:
                with contextlib.suppress(psutil.NoSuchProcess):
                    member.kill()
            _await_end(family, patience)
        self.pid_file.unlink(missing_ok=True)

    def _launch(self, argv: Sequence[str], env: Mapping[str, str]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.log.exists():
            self.log.replace(self.log.with_suffix(".log.1"))
        self.log.touch(0o600)
        shell = subprocess.Popen(
            ["/bin/sh", "-c", _LAUNCH, "sh", str(self.log), *argv],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **env},
            cwd=self.folder,
            start_new_session=True,
            text=True,
        )
        assert shell.stdin is not None and shell.stdout is not None
        with shell, contextlib.suppress(psutil.NoSuchProcess):
            process = psutil.Process(int(shell.stdout.readline()))
            note = {"pid": process.pid, "began": process.create_time(), "as": [list(argv), dict(env)]}
            unfinished = self.pid_file.with_suffix(".pid.new")
            unfinished.touch(0o600)
            unfinished.write_text(json.dumps(note))
            unfinished.replace(self.pid_file)
            shell.stdin.write("go\n")

    def wait(self, ready: Callable[[], bool] | None = None, patience: float = 60) -> None:
        """Wait until it is ready, as `start` does."""
        moment = time.monotonic() + 4 * _LOOK_AGAIN
        if not self._becomes(ready or (lambda: time.monotonic() > moment), patience):
            if not self.alive():
                raise Refusal(f"{self.name} ended as soon as it was started, saying {self._last_words()}")
            raise Refusal(
                f"{self.name} runs but was not ready after {patience:.0f} s; "
                f"the last it said was {self._last_words()}"
            )

    def _becomes(self, ready: Callable[[], bool], patience: float) -> bool:
        """Whether it becomes ready, before it ends or patience does."""
        deadline = time.monotonic() + patience
        while self.alive() and time.monotonic() < deadline:
            if ready():
                return self.alive()
            time.sleep(_LOOK_AGAIN)
        return False

    def _last_words(self) -> str:
        said = self.log.read_text(errors="replace") if self.log.exists() else ""
        return f"“{last_meaningful_line(said) or 'nothing'}” (all of it is in {self.log})."

    def _noted(self) -> dict[str, object]:
        try:
            noted = json.loads(self.pid_file.read_text())
        except (FileNotFoundError, ValueError):
            return {}
        return noted if isinstance(noted, dict) else {}

    def _process(self) -> psutil.Process | None:
        noted = self._noted()
        if not noted:
            return None
        try:
            process = psutil.Process(int(str(noted["pid"])))
            same = abs(process.create_time() - float(str(noted["began"]))) < _CLOCK_TOLERANCE
            return process if same and not _ended(process) else None
        except psutil.NoSuchProcess:
            return None


def last_meaningful_line(log: str) -> str:
    """What a program said last: its last error, if it told one; without stack traces and blank lines."""
    spoken = [line.strip() for line in log.splitlines() if line.strip() and not line[0].isspace()]
    errors = [line for line in spoken if any(word in line.lower() for word in _TROUBLE)]
    return _plain((errors or spoken or [""])[-1])[:400]


def _plain(line: str) -> str:
    """A line of a log in JSON as message and error; other lines as they are."""
    try:
        told = json.loads(line)
        return ": ".join(str(told[key]) for key in ("msg", "error", "err") if key in told)
    except (ValueError, TypeError):
        return line


def _family(process: psutil.Process) -> list[psutil.Process]:
    """A process with all that it started, those included whose own parent has ended."""
    with contextlib.suppress(ProcessLookupError, psutil.NoSuchProcess):
        group = os.getpgid(process.pid)
        members = {process, *process.children(recursive=True)}
        for other in psutil.process_iter():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if os.getpgid(other.pid) == group:
                    members.add(other)
        return list(members)
    return [process]


def _await_end(processes: Sequence[psutil.Process], patience: float) -> None:
    deadline = time.monotonic() + patience
    while not all(_ended(process) for process in processes) and time.monotonic() < deadline:
        time.sleep(_LOOK_AGAIN)


def _ended(process: psutil.Process) -> bool:
    # What has ended may stay in the table for as long as nobody asks how it ended.
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
