"""A control plane of which only etcd, the API server and who knows its users run: nobody acts on objects."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from signal import SIGTERM

import psutil

from benchmarks.bench import CLOUD
from localcloud.cloud import REPOSITORY
from localcloud.control_plane import ControlPlane
from localcloud.control_plane.programs import CLIENTS
from localcloud.processes import Process


@contextmanager
def bare_plane(name: str) -> Iterator[ControlPlane]:
    """One of this name, until the end."""
    plane = ControlPlane(CLOUD, name)
    try:
        plane.start()
        for program in CLIENTS:
            plane.process(program.name).stop()
        yield plane
    finally:
        # The API server would wait for those who watch it.
        plane.process("kube-apiserver").stop(timeout=1)
        plane.remove()


@contextmanager
def watching(
    plane: ControlPlane, form: str, paths: Sequence[str], watchers: int
) -> Iterator[dict[str, float]]:
    """So many clients that watch each of some paths; afterwards the `events` and `bytes` that came to them.

    form: one of `benchmarks.watchers.FORMS`.
    """
    command = [
        *(sys.executable, "-m", "benchmarks.watchers", f"--server={plane.endpoint}"),
        *(f"--authority={plane.credentials.authority}", f"--token={plane.token_file}"),
        *(f"--watchers={watchers}", f"--form={form}", *paths),
    ]
    process = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    process.stdout.readline()
    figures: dict[str, float] = {}
    try:
        yield figures
    finally:
        process.send_signal(SIGTERM)
        figures.update(json.loads(process.communicate()[0]))


def program(process: Process) -> psutil.Process:
    """What runs as it."""
    return psutil.Process(json.loads(process.pid_file.read_text())["pid"])


def cpu(process: psutil.Process) -> float:
    """Seconds of CPU that it has taken."""
    times = process.cpu_times()
    return float(times.user + times.system)


def resident(process: psutil.Process) -> float:
    """MiB of memory that it has."""
    return float(process.memory_info().rss) / 2**20
