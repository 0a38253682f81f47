"""The History Server: the time that a scan takes, by the number of logs that it lists."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

from benchmarks.bench import FOLDER
from moka.sizes.history import JVM_FLAGS, MAX_LISTED
from tests.support.history_servers import Server, server_of
from tests.support.many_logs import PAGE, ManyLogs, many_logs, wait_for_scans, wait_until_known

COUNTS = (1_000, 10_000, 50_000, 100_000)
SCANS = 3
"""Of logs that are all known; the median counts."""

INTERVAL_SECONDS = 2
BUCKET = "event-logs"
KEYS = {"spark.hadoop.fs.s3a.access.key": "test", "spark.hadoop.fs.s3a.secret.key": "test"}
CONF = {
    **KEYS,
    "spark.hadoop.fs.s3a.aws.credentials.provider": "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
}

S3_SECONDS = 0.1
"""What S3 takes for a list of a thousand keys: an assumption, which `docs/operations/history.md` names."""


@dataclass(frozen=True)
class Scan:
    """A scan. seconds: from its first request to its end. cpu: seconds of the server.
    answering: seconds that the stand-in was at its lists, of `seconds`.
    """

    seconds: float
    cpu: float
    answering: float


@contextmanager
def serving(heap: str, conf: Mapping[str, str] = CONF) -> Iterator[tuple[ManyLogs, Server]]:
    """A stand-in for S3 without logs, and a server with a heap of this size that scans it."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (
        TemporaryDirectory(dir=FOLDER) as folder,
        many_logs(BUCKET, 0) as logs,
        server_of(
            Path(folder),
            BUCKET,
            logs.endpoint,
            {},
            interval_seconds=INTERVAL_SECONDS,
            conf=conf,
            memory=heap,
            java_options=" ".join(JVM_FLAGS),
        ) as server,
    ):
        yield logs, server


def memory_gib(server: Server) -> float:
    """GiB that the server's process has in memory."""
    return float(_process(server).memory_info().rss / 2**30)


def table() -> str:
    """Measure; the table."""
    lines = [
        f"a heap of 2 GiB; the median of {SCANS} scans of logs that are all known; lists come from a "
        "stand-in (`tests/support/many_logs.py`), not from S3.",
        "",
        "| logs | reading them first | scan | of it the stand-in | CPU of the server | memory |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    scans: dict[int, Scan] = {}
    with serving("2g") as (logs, server):
        for count in COUNTS:
            reading = read(logs, count)
            scans[count] = scan = scan_of_known(logs, server)
            lines.append(
                f"| {count:,} | {reading:.0f} s | {scan.seconds:.2f} s | {scan.answering:.2f} s | "
                f"{scan.cpu:.2f} s | {memory_gib(server):.1f} GiB |"
            )
    lines += ["", _extrapolation(scans)]
    return "\n".join(lines) + "\n"


def _extrapolation(scans: dict[int, Scan]) -> str:
    """What the slope between the second and the last number of logs makes of the bound of a list."""
    few, many = COUNTS[1], COUNTS[-1]
    own = [scans[count].seconds - scans[count].answering for count in (few, many)]
    a_log = (own[1] - own[0]) / (many - few)
    cpu = (scans[many].cpu - scans[few].cpu) / (many - few)
    lists = MAX_LISTED / PAGE
    return (
        f"{a_log * 1e6:.0f} µs a log without the stand-in's part, {cpu * 1e6:.0f} µs of CPU: "
        f"{a_log * MAX_LISTED:.0f} s of {MAX_LISTED:,} logs, {cpu * MAX_LISTED:.0f} s of CPU, and "
        f"{lists * S3_SECONDS:.0f} s for {lists:,.0f} lists at {S3_SECONDS * 1000:.0f} ms each."
    )


def read(logs: ManyLogs, count: int) -> float:
    """Have there be so many logs -> seconds until the server knows them all."""
    start, logs.count = time.monotonic(), count
    wait_until_known(logs)
    return logs.last_read - start


def scan_of_known(logs: ManyLogs, server: Server) -> Scan:
    """The median of some scans that read no log."""
    scans = []
    for _ in range(SCANS):
        wait_for_scans(logs, 1)
        first, cpu, answering = logs.began[-1], _cpu(server), logs.answering
        wait_for_scans(logs, 1)
        seconds = logs.began[-1] - first - INTERVAL_SECONDS
        scans.append(Scan(seconds, _cpu(server) - cpu, logs.answering - answering))
    return sorted(scans, key=lambda scan: scan.seconds)[SCANS // 2]


def _process(server: Server) -> psutil.Process:
    assert server.process is not None
    return psutil.Process(server.process.pid)


def _cpu(server: Server) -> float:
    times = _process(server).cpu_times()
    return float(times.user + times.system)
