"""Archer's service: submissions at a rate, all durable, and answers on their status beside them.

The service is a process as in its pod, with tokens of an issuer, on a PostgreSQL that waits for its disk;
jobs and questions come from a process of their own. All share the cores.
"""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from localcloud.cloud import REPOSITORY
from services.archer.database import environment
from services.archer.database.address import Address, connected
from services.archer.database.pool import pool
from tests.support.archer_processes import Archer, token
from tests.support.jobs import make_job, make_job_target
from tests.support.oidc_issuer import OidcIssuer
from tests.support.postgresql import PostgreSQL

SECONDS = int(os.environ.get("MOKA_ARCHER_SECONDS", "600"))
RATE = 500
"""Submissions a second; what they must reach."""

STATUS_RATE = 50
MAX_MILLISECONDS = 50
SERVICES = int(os.environ.get("MOKA_ARCHER_SERVICES", "1"))

DURABILITY = ("fsync", "synchronous_commit", "full_page_writes", "wal_sync_method")
"""Settings of PostgreSQL that say what a commit waits for."""


@dataclass(frozen=True)
class Cpu:
    """Seconds of the processor."""

    service: float
    database: float
    load: float


@contextmanager
def database() -> Iterator[Address]:
    """An empty database on a server of its own."""
    server = PostgreSQL()
    try:
        with server.database() as address:
            yield address
    finally:
        server.end()


def table() -> str:
    """Measure; the table."""
    with database() as address, tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_measurement(Path(folder), address))


async def _measurement(folder: Path, address: Address) -> str:
    async with OidcIssuer({}, {}) as issuer:
        (folder / "bearer").write_text(token(issuer.url))
        (folder / "jobs.json").write_text(json.dumps([_job(number) for number in range(20)]))
        with Archer(folder, address, issuer.url) as archer:
            await archer.kept()
            async with pool(address) as connections:
                await connections.run(lambda c: environment.tell(c, "spark-a", make_job_target()))
            services = [await archer.serving() for _ in range(SERVICES)]
            processes = [psutil.Process(service.process.pid) for service in services]
            before = sum(map(_cpu, processes)), _database_cpu(address)
            figures, load = await _load(folder, [service.url for service in services])
            after = sum(map(_cpu, processes)), _database_cpu(address)
            memory = max(process.memory_info().rss for process in processes) / 2**20
    async with connected(address) as connection:
        durability = {name: await connection.fetchval(f"SHOW {name}") for name in DURABILITY}
        rows = await connection.fetchval("SELECT count(*) FROM jobs")
        version = await connection.fetchval("SHOW server_version")
    cpu = Cpu(after[0] - before[0], after[1] - before[1], load)
    return _lines(figures, cpu, rows, memory, {"PostgreSQL": version, **durability})


def _job(number: int) -> dict[str, Any]:
    job = make_job(name=f"report-{number}", tier=1 + number % 2, workflow=f"reports-{number % 5}")
    return job.model_dump(mode="json", exclude_unset=True)


async def _load(folder: Path, urls: list[str]) -> tuple[dict[str, Any], float]:
    """What the load saw, and its own seconds of the processor."""
    before = os.times()
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.support.archer_load",
        *(f"--url={url}" for url in urls),
        f"--token={folder / 'bearer'}",
        f"--jobs={folder / 'jobs.json'}",
        f"--count={RATE * SECONDS}",
        f"--rate={RATE}",
        f"--status-rate={STATUS_RATE}",
        stdout=asyncio.subprocess.PIPE,
        cwd=REPOSITORY,
    )
    output, _ = await process.communicate()
    after = os.times()
    if process.returncode:
        raise RuntimeError("the load ended before its time; what it says is above")
    cost = after.children_user + after.children_system - before.children_user - before.children_system
    return json.loads(output), cost


def _cpu(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _database_cpu(address: Address) -> float:
    """Of the server and all of its processes."""
    server = psutil.Process(int((Path(address.host) / "postmaster.pid").read_text().split()[0]))
    times = server.cpu_times()
    living = sum(_cpu(process) for process in (server, *server.children()))
    return living + float(times.children_user + times.children_system)


def _lines(figures: dict[str, Any], cpu: Cpu, rows: int, memory: float, settings: dict[str, str]) -> str:
    submission, status = figures["submission_ms"], figures["status_ms"]
    listing = ", ".join(f"{name} {value}" for name, value in settings.items())
    lines = [
        f"processes of the service: {SERVICES}; {RATE} submissions and {STATUS_RATE} questions a second for "
        f"{SECONDS} s, from another process; {listing}. Times are from when a request was due.",
        "",
        "| what | seen | at least, at most |",
        "| --- | --- | --- |",
        f"| jobs taken a second | {figures['a_second']:.0f} | {RATE} |",
        f"| taken; rows in the database | {figures['taken']:,}; {rows:,} | {RATE * SECONDS:,} |",
        f"| status answers, p50, p99 | {status['p50']} ms, {status['p99']} ms | {MAX_MILLISECONDS} ms |",
        f"| submissions, p50, p99 | {submission['p50']} ms, {submission['p99']} ms |  |",
        f"| sent again, by why | {figures['again'] or 'none'} |  |",
        f"| CPU a job: service, PostgreSQL, load | {1000 * cpu.service / rows:.2f} ms, "
        f"{1000 * cpu.database / rows:.2f} ms, {1000 * cpu.load / rows:.2f} ms |  |",
        f"| memory of the service | {memory:.0f} MiB |  |",
    ]
    return "\n".join(lines) + "\n"
