"""The gateway to UIs with 2,000 drivers and 60 new ones a minute, beside their UIs themselves."""

import asyncio
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import aiohttp
import psutil

from benchmarks.bench import FOLDER
from benchmarks.driver_world import NAMESPACE, address
from localcloud.cloud import REPOSITORY
from localcloud.credentials import Credentials
from localcloud.loopback import free_port
from moka.pages import UI_PORT

DRIVERS = 2_000
DELAYS = (0, 5, 50)
"""Milliseconds that UIs take."""

SECONDS = 60
RATE = 100
"""Requests a second to UIs, and as many through the gateway, in turns."""

NEW_A_MINUTE = 60
MAX_MILLISECONDS = 50
DOMAIN = "spark-a.bench.example"


@dataclass
class Times:
    """Of requests, seconds. failed: how many had another answer than 200."""

    seconds: list[float] = field(default_factory=list)
    failed: int = 0

    def at(self, share: float) -> float:
        """A percentile, milliseconds."""
        order = sorted(self.seconds)
        return 1000 * order[min(int(len(order) * share), len(order) - 1)]


@dataclass(frozen=True)
class Ports:
    """Of the processes."""

    api: int
    bucket: int
    gateway: int


def table() -> str:
    """Measure; the table."""
    ports = Ports(free_port(), free_port(), free_port())
    with _processes(ports) as gateway:
        return asyncio.run(_measurement(ports, gateway))


@contextmanager
def _processes(ports: Ports) -> Iterator[psutil.Process]:
    """The world and the gateway."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    credentials = Credentials(FOLDER / "ui-gateway")
    credentials.make()
    (credentials.folder / "token").write_text("token")
    (credentials.folder / "namespace").write_text("ingress")
    environment = {
        **os.environ,
        "PYTHONPATH": str(REPOSITORY),
        "KUBERNETES_SERVICE_HOST": "127.0.0.1",
        "KUBERNETES_SERVICE_PORT": str(ports.api),
        "AWS_ENDPOINT_URL_S3": f"http://127.0.0.1:{ports.bucket}",
        "AWS_ACCESS_KEY_ID": "bench",
        "AWS_SECRET_ACCESS_KEY": "bench",
    }
    world = (
        "benchmarks.driver_world",
        f"--drivers={DRIVERS}",
        f"--credentials={credentials.folder}",
        f"--api={ports.api}",
        f"--bucket={ports.bucket}",
    )
    gateway = (
        "services.ui_gateway",
        "--cluster=bench",
        f"--domain={DOMAIN}",
        f"--namespace={NAMESPACE}",
        "--history=https://history.bench.example",
        "--history-days=30",
        "--bucket=event-logs",
        "--region=us-east-1",
        f"--listen=127.0.0.1:{ports.gateway}",
        f"--service-account={credentials.folder}",
    )
    running = []
    with (FOLDER / "ui-gateway.log").open("w") as log:
        try:
            for module in (world, gateway):
                command = [sys.executable, "-m", *module]
                running.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log))
            yield psutil.Process(running[-1].pid)
        finally:
            for process in running:
                process.terminate()
                process.wait()


async def _measurement(ports: Ports, gateway: psutil.Process) -> str:
    started = time.monotonic()
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector, auto_decompress=False) as session:
        while not await _ready(session, ports):
            await asyncio.sleep(0.1)
        ready = time.monotonic() - started
        direct, through = ({delay: Times() for delay in DELAYS} for _ in range(2))
        before = sum(gateway.cpu_times()[:2])
        new, _ = await asyncio.gather(_new_drivers(session, ports), _load(session, ports, direct, through))
        cpu = sum(gateway.cpu_times()[:2]) - before
    requests = sum(len(times.seconds) for times in through.values())
    failed = sum(times.failed for times in (*direct.values(), *through.values()))
    lines = [
        f"{DRIVERS:,} drivers and {NEW_A_MINUTE} more a minute, {RATE} requests a second to UIs of 20 KiB "
        f"and as many through the gateway, in turns, for {SECONDS} s; {failed} failed.",
        "",
        "| a UI takes | its p50 | through the gateway | its p99 | through the gateway | more | at most |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for delay in DELAYS:
        own, times = direct[delay], through[delay]
        lines.append(
            f"| {delay} ms | {own.at(0.5):.1f} ms | {times.at(0.5):.1f} ms | {own.at(0.99):.1f} ms "
            f"| {times.at(0.99):.1f} ms | {times.at(0.99) - own.at(0.99):.1f} ms | {MAX_MILLISECONDS} ms |"
        )
    memory = gateway.memory_info().rss / 2**20
    return "\n".join(lines) + (
        f"\n\nA new driver's UI was served {new.at(0.5):.0f} ms (p50), {new.at(0.99):.0f} ms (p99) after "
        f"its pod had an address. The gateway took {ready:.1f} s from its start until it knew all drivers, "
        f"{memory:.0f} MiB, and {1000 * cpu / requests:.1f} ms of CPU a request.\n"
    )


async def _ready(session: aiohttp.ClientSession, ports: Ports) -> bool:
    try:
        async with session.get(f"http://127.0.0.1:{ports.gateway}/ready") as answer:
            return answer.status == 200
    except aiohttp.ClientError:
        return False


async def _load(
    session: aiohttp.ClientSession, ports: Ports, direct: dict[int, Times], through: dict[int, Times]
) -> None:
    """Requests at a rate, whatever time they take."""
    pending = []
    start = time.monotonic()
    for number in range(SECONDS * RATE):
        await asyncio.sleep(max(0.0, start + number / RATE - time.monotonic()))
        driver, delay = random.randrange(DRIVERS), DELAYS[number % len(DELAYS)]
        own = f"http://{address(driver)}:{UI_PORT}/{delay}"
        gateway_url = f"http://127.0.0.1:{ports.gateway}/{delay}"
        pending.append(asyncio.create_task(_get(session, own, "", direct[delay])))
        await asyncio.sleep(0.5 / RATE)
        pending.append(asyncio.create_task(_get(session, gateway_url, f"job-{driver}", through[delay])))
    await asyncio.gather(*pending)


async def _get(session: aiohttp.ClientSession, url: str, application: str, times: Times) -> None:
    headers = {"Host": f"{application}.{NAMESPACE}.{DOMAIN}"} if application else {}
    start = time.monotonic()
    try:
        async with session.get(url, headers=headers, allow_redirects=False) as answer:
            await answer.read()
            failed = answer.status != 200
    except (aiohttp.ClientError, OSError):
        failed = True
    times.seconds.append(time.monotonic() - start)
    times.failed += failed


async def _new_drivers(session: aiohttp.ClientSession, ports: Ports) -> Times:
    """Drivers that come; the time until the gateway leads to each."""

    async def new_driver() -> float:
        async with session.post(f"http://127.0.0.1:{ports.bucket}/drivers") as answer:
            application = await answer.text()
        start = time.monotonic()
        times = Times(failed=1)
        while times.failed:
            times = Times()
            await _get(session, f"http://127.0.0.1:{ports.gateway}/0", application, times)
        return time.monotonic() - start

    new = []
    for _ in range(NEW_A_MINUTE * SECONDS // 60):
        new.append(asyncio.create_task(new_driver()))
        await asyncio.sleep(60 / NEW_A_MINUTE)
    return Times(list(await asyncio.gather(*new)))
