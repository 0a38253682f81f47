"""The uploader of event logs as a process of its own, with nothing but what its container has."""

import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from localcloud.cloud import REPOSITORY
from tests.support.pod_identity_agent import PodIdentityAgent

DEADLINE_SECONDS = 60.0


class UploaderProcess:
    """A running uploader. port: of its metrics."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, log: Path) -> None:
        self.process, self.port, self.log = process, port, log

    def get(self, path: str) -> str:
        """The body of an answer of its own."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as answer:
            text: str = answer.read().decode()
            return text

    def metric(self, name: str) -> float:
        """A metric's value, by its name without the prefix."""
        match = re.search(rf"^moka_event_log_uploader_{name} (\S+)$", self.get("/metrics"), re.MULTILINE)
        assert match, name
        return float(match[1])

    def rss_kib(self) -> int:
        """Its resident memory."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.findall(r"VmRSS:\s+(\d+)", status)[0])

    def end(self) -> int:
        """End it as kubelet does, once it listens -> its exit status."""
        wait_for(lambda: self.process.poll() is not None or self.get("/metrics"))
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(DEADLINE_SECONDS)

    def kill(self) -> None:
        """End it as the kernel does."""
        self.process.kill()
        self.process.wait()


@contextmanager
def uploader_process(
    arguments: Sequence[str], agent: PodIdentityAgent, endpoint: str, port: int, log: Path
) -> Iterator[UploaderProcess]:
    """An uploader with these arguments, which listens on loopback; killed at the end, if it still runs."""
    environment: Mapping[str, str] = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(REPOSITORY),
        "PYTHONDONTWRITEBYTECODE": "1",
        "AWS_ENDPOINT_URL_S3": endpoint,
        **agent.environment,
    }
    # Without `site`, only the standard library is there.
    command = [sys.executable, "-S", "-m", "services.event_log_uploader", *arguments]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "--listen", f"127.0.0.1:{port}"], env=environment, stdout=output, stderr=output
        )
    running = UploaderProcess(process, port, log)
    try:
        yield running
    finally:
        running.kill()


def wait_for(condition: Callable[[], object], seconds: float = DEADLINE_SECONDS) -> None:
    """Wait until a condition holds; what raises OSError does not hold yet."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            if condition():
                return
        except OSError:
            pass
        assert time.monotonic() < deadline, "it did not come to hold in time"
        time.sleep(0.05)
