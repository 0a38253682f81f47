"""The recorder of what was used at 10,000 allocations a second: what it takes of a core, what it loses."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import urlopen

import boto3
import psutil

from benchmarks.allocation_world import APPLICATIONS, CPU, EVENTS
from benchmarks.bench import FOLDER, LOG
from localcloud.cloud import REPOSITORY
from localcloud.credentials import Credentials
from localcloud.loopback import free_port
from moka.usage import places
from moka.usage.records import GAPS, PROFILES
from services.usage_recorder import parquet
from services.usage_recorder.bucket import Bucket
from tests.support.moto_server import moto_server

RATE, SECONDS, RUNNING = 10_000, 60, 100_000
"""Allocations a second, for how long, and how many run at a time."""

MAX_CORES = 1.0
BUCKET, CLUSTER = "usage", "bench"


def table() -> str:
    """Measure; the table."""
    with moto_server() as s3, _processes(s3) as (recorder, port):
        start, cpu = time.monotonic(), _cpu(recorder)
        while time.monotonic() - start < SECONDS:
            time.sleep(0.1)
        cores = (_cpu(recorder) - cpu) / (time.monotonic() - start)
        behind = _metric(port, "behind_events")
        # What runs goes, too.
        while _metric(port, "running") or time.monotonic() - start < SECONDS + RUNNING / RATE:
            time.sleep(0.1)
        late = time.monotonic() - start - SECONDS - RUNNING / RATE
        mebibytes = recorder.memory_info().rss / 2**20
        recorder.send_signal(signal.SIGTERM)
        recorder.wait()
        rows, millis, gaps, parts, size = _recording(s3)
    expected = RATE * SECONDS * CPU * (RUNNING * 1000 // RATE)
    lines = [
        f"{RATE:,} allocations a second for {SECONDS} s, {EVENTS} events each, from a scheduler in a process "
        f"of its own; {RUNNING:,} at a time, of {APPLICATIONS:,} applications; parts to moto's S3.",
        "",
        "| of a core | at most | events behind at the end | all read after | memory | of what was used |",
        "| --- | --- | --- | --- | --- | --- |",
        f"| {cores:.2f} | {MAX_CORES} | {behind:,.0f} | {late:.1f} s | {mebibytes:.0f} MiB "
        f"| {100 * millis / expected:.4f}% |",
        "",
        f"{rows:,} intervals in {parts} parts of {size / 2**20:.0f} MiB; {gaps} gaps.",
    ]
    return "\n".join(lines) + "\n"


@contextmanager
def _processes(s3: str) -> Iterator[tuple[psutil.Popen, int]]:
    """The world and the recorder, whose port that is."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    credentials = Credentials(FOLDER / "recorder")
    credentials.make()
    (credentials.folder / "token").write_text("token")
    (credentials.folder / "namespace").write_text("usage-recorder")
    scheduler, api, port = free_port(), free_port(), free_port()
    environment = {
        **os.environ,
        "PYTHONPATH": str(REPOSITORY),
        "KUBERNETES_SERVICE_HOST": "127.0.0.1",
        "KUBERNETES_SERVICE_PORT": str(api),
        "AWS_ENDPOINT_URL_S3": s3,
        "AWS_ACCESS_KEY_ID": "bench",
        "AWS_SECRET_ACCESS_KEY": "bench",
    }
    _client(s3).create_bucket(Bucket=BUCKET)
    world = [
        *("benchmarks.allocation_world", f"--scheduler-port={scheduler}", f"--api-port={api}"),
        *(f"--rate={RATE}", f"--total={RATE * SECONDS}", f"--running={RUNNING}"),
        f"--credentials={credentials.folder}",
    ]
    recorder = [
        *("services.usage_recorder", f"--cluster={CLUSTER}", f"--eks-cluster={CLUSTER}"),
        *(f"--scheduler=http://127.0.0.1:{scheduler}", f"--bucket={BUCKET}", "--region=us-east-1"),
        *(f"--listen=127.0.0.1:{port}", f"--service-account={credentials.folder}"),
    ]
    with LOG.open("ab") as log:
        processes = []
        try:
            for program, answers in ((world, scheduler), (recorder, port)):
                command = [sys.executable, "-m", *program]
                processes.append(psutil.Popen(command, env=environment, stdout=log, stderr=log))
                _listens(processes[-1], answers)
            yield processes[-1], port
        finally:
            for process in reversed(processes):
                if process.poll() is None:
                    process.terminate()
                    process.wait()


def _listens(process: psutil.Popen, port: int) -> None:
    while not any(connection.laddr.port == port for connection in process.net_connections("tcp")):
        if process.poll() is not None:
            raise subprocess.CalledProcessError(process.returncode, process.args)
        time.sleep(0.05)


def _cpu(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _metric(port: int, name: str) -> float:
    page = urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60).read().decode()
    [line] = [line for line in page.splitlines() if line.startswith(f"moka_usage_recorder_{name} ")]
    return float(line.split(" ")[1])


def _client(s3: str) -> Any:
    return boto3.client(
        "s3",
        endpoint_url=s3,
        region_name="us-east-1",
        aws_access_key_id="bench",
        aws_secret_access_key="bench",
    )


def _recording(s3: str) -> tuple[int, int, int, int, int]:
    """Intervals, thousandths of a core times milliseconds, gaps, parts and bytes that are in the bucket."""
    bucket = Bucket(_client(s3), BUCKET)
    with TemporaryDirectory() as folder:
        objects = bucket.objects(places.prefix(PROFILES.name))
        files: list[Path] = []
        for item in objects:
            files.append(Path(folder) / f"{len(files)}.parquet")
            bucket.fetch(item.key, files[-1])
        with parquet.session(Path(folder)) as duck:
            [(rows, millis)] = duck.execute(
                "SELECT count(*), sum(cpu::HUGEINT * (ended - began)) "
                f"FROM read_parquet({[str(file) for file in files]})"
            ).fetchall()
    gaps = len(bucket.objects(places.prefix(GAPS.name)))
    return rows, int(millis), gaps, len(objects), sum(item.size for item in objects)
