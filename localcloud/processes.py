"""Programs that go on running after the one that started them has ended."""

import contextlib
import json
import os
import re
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
from localcloud.files import write_private

# The shell ends at once, so the program is no child of ours; it waits for a line before it begins, and does
# not begin when we are killed before its pid is written down.
_LAUNCH = 'log=$1; shift; exec 3<&0; { read -r go <&3 && exec "$@" 3<&- </dev/null >"$log" 2>&1; } & echo $!'

# Wall clocks are corrected now and then, and a process's start time moves along.
_CLOCK_TOLERANCE_SECONDS = 60.0

_POLL_SECONDS = 0.05

_END_SECONDS = 15.0

# What is below a frame, and Go's frames with their headings.
_OF_A_TRACE = re.compile(r"\s|goroutine \d+ \[|[\w./-]+\.[\w.()*-]+\(.*\)$|created by ")

_ERROR_WORDS = ("error", "failed", "fatal", "panic", "cannot", "not defined", "unable")


INHERITED = (
    "COLUMNS", "HOME", "JAVA_HOME", "LANG", "LANGUAGE", "LOGNAME", "NODE_EXTRA_CA_CERTS", "PATH",
    "REQUESTS_CA_BUNDLE", "SSL_CERT_DIR", "SSL_CERT_FILE", "TMPDIR", "TZ", "USER",
)  # fmt: skip
INHERITED_PREFIXES = ("LC_", "MOKA_", "PYTHON", "XDG_")
"""What a server has of the environment of who starts it, which can be read in `/proc` for as long as it runs:
no keys, no tokens, no passphrases.
"""


def server_environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Of the variables of who starts a server, those that it has."""
    return {
        name: value
        for name, value in variables.items()
        if name in INHERITED or name.startswith(INHERITED_PREFIXES)
    }


def answers(url: str, authority: Path | None = None, certificate: tuple[Path, Path] | None = None) -> bool:
    """Whether a request to this URL succeeds; over https, with a certificate of this authority's (PEM).

    certificate: of the client, with its key.
    """
    trust = ssl.create_default_context(cafile=authority) if authority else None
    if trust and certificate:
        trust.load_cert_chain(*certificate)
    try:
        with urllib.request.urlopen(url, timeout=5, context=trust):
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
        """What it printed since its last start; `.log.1` has what it printed before."""
        return self.folder / f"{self.name}.log"

    @property
    def pid_file(self) -> Path:
        """Its pid, when that process began, and its command and environment, in JSON."""
        return self.folder / f"{self.name}.pid"

    def start(
        self,
        argv: Sequence[str],
        env: Mapping[str, str] | None = None,
        ready: Callable[[], bool] | None = None,
        timeout: float = 60,
    ) -> None:
        """Start the program unless it runs, and return once it is ready.

        env: its environment beyond `server_environment`.
        ready: called until it returns True; without it, a program that outlives its first moment is ready.
        timeout: seconds that it may take to become ready.
        Raises Refusal when it ends or does not become ready.
        """
        # A program that was killed just now may be alive for a moment.
        if self.alive() and (ready is None or self.becomes_ready(ready, timeout)):
            return
        if not self.alive():
            self._launch(argv, env or {})
        self.wait(ready, timeout)

    def alive(self) -> bool:
        """Whether the program that was started runs."""
        return self._process() is not None

    def runs_as(self, argv: Sequence[str], env: Mapping[str, str] | None = None) -> bool:
        """Whether it runs, started with this command and environment."""
        return self.alive() and self._note().get("as") == [list(argv), dict(env or {})]

    def stop(self, timeout: float = _END_SECONDS) -> None:
        """Have the program end, and kill it and its children after `timeout` seconds."""
        process = self._process()
        if process is not None:
            family = _family(process)
            with contextlib.suppress(psutil.NoSuchProcess):
                process.terminate()
            _await_end([process], timeout)
            for member in family:
                with contextlib.suppress(psutil.NoSuchProcess):
                    member.kill()
            _await_end(family, timeout)
        self.pid_file.unlink(missing_ok=True)

    def _launch(self, argv: Sequence[str], env: Mapping[str, str]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        if last := self._last_process():
            _await_end([last], _END_SECONDS)
        if self.log.exists():
            self.log.replace(self.log.with_suffix(".log.1"))
        self.log.touch(0o600)
        shell = subprocess.Popen(
            ["/bin/sh", "-c", _LAUNCH, "sh", str(self.log), *argv],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**server_environment(os.environ), **env},
            cwd=self.folder,
            start_new_session=True,
            text=True,
        )
        assert shell.stdin is not None and shell.stdout is not None
        with shell, contextlib.suppress(psutil.NoSuchProcess):
            process = psutil.Process(int(shell.stdout.readline()))
            note = {"pid": process.pid, "began": process.create_time(), "as": [list(argv), dict(env)]}
            write_private(self.pid_file, json.dumps(note))
            shell.stdin.write("go\n")

    def wait(self, ready: Callable[[], bool] | None = None, timeout: float = 60) -> None:
        """Wait until it is ready, as `start` does."""
        moment = time.monotonic() + 4 * _POLL_SECONDS
        if not self.becomes_ready(ready or (lambda: time.monotonic() > moment), timeout):
            if not self.alive():
                raise Refusal(f"{self.name} ended right after its start; {self.last_words()}")
            raise Refusal(f"{self.name} runs but was not ready after {timeout:.0f} s; {self.last_words()}")

    def becomes_ready(self, ready: Callable[[], bool], timeout: float = 60) -> bool:
        """Whether it becomes ready, before it ends or `timeout` seconds are over."""
        deadline = time.monotonic() + timeout
        while self.alive() and time.monotonic() < deadline:
            if ready():
                return self.alive()
            time.sleep(_POLL_SECONDS)
        return False

    def last_words(self) -> str:
        """Where its log is, and the last error in it; the end of a sentence."""
        output = self.log.read_text(errors="replace") if self.log.exists() else ""
        line = last_meaningful_line(output)
        return f"its log, {self.log}, {f'says “{line}”' if line else 'is empty'}."

    def _note(self) -> dict[str, object]:
        try:
            note = json.loads(self.pid_file.read_text())
        except (FileNotFoundError, ValueError):
            return {}
        return note if isinstance(note, dict) else {}

    def _process(self) -> psutil.Process | None:
        """The process that was started, while it runs."""
        process = self._last_process()
        try:
            return process if process and process.status() != psutil.STATUS_ZOMBIE else None
        except psutil.NoSuchProcess:
            return None

    def _last_process(self) -> psutil.Process | None:
        """The process that was started, while the table of processes has it."""
        note = self._note()
        if not note:
            return None
        try:
            process = psutil.Process(int(str(note["pid"])))
            same = abs(process.create_time() - float(str(note["began"]))) < _CLOCK_TOLERANCE_SECONDS
            return process if same else None
        except psutil.NoSuchProcess:
            return None


def last_meaningful_line(log: str) -> str:
    """The last error in a log, or else its last line; without stack traces and blank lines."""
    lines = [line.strip() for line in log.splitlines() if line.strip() and not _OF_A_TRACE.match(line)]
    errors = [line for line in lines if any(word in line.lower() for word in _ERROR_WORDS)]
    return _plain((errors or lines or [""])[-1])[:400]


def _plain(line: str) -> str:
    """A line of a log in JSON as message and error; other lines as they are."""
    try:
        record = json.loads(line)
        return ": ".join(str(record[key]) for key in ("msg", "error", "err") if key in record)
    except (ValueError, TypeError):
        return line


def _family(process: psutil.Process) -> list[psutil.Process]:
    """A process with all that it started, including processes whose own parent has ended."""
    with contextlib.suppress(ProcessLookupError, psutil.NoSuchProcess):
        group = os.getpgid(process.pid)
        members = {process, *process.children(recursive=True)}
        for candidate in psutil.process_iter():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if os.getpgid(candidate.pid) == group:
                    members.add(candidate)
        return list(members)
    return [process]


def _await_end(processes: Sequence[psutil.Process], timeout: float) -> None:
    deadline = time.monotonic() + timeout
    while not all(_has_ended(process) for process in processes) and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)


def _has_ended(process: psutil.Process) -> bool:
    # A process that has ended stays in the table until its parent has read its exit status. It looks so once
    # its first thread has ended, while others still hold its ports and files.
    try:
        if not process.is_running():
            return True
        return bool(process.status() == psutil.STATUS_ZOMBIE and process.num_threads() <= 1)
    except psutil.NoSuchProcess:
        return True
