"""`python -m tests.support.archer_load`: sends jobs to Archer at a rate, and asks for their status.

As clients do that want their jobs taken: each with a key of its own, sent again until it is taken, whatever
happens to the service. Prints what it saw as JSON; times are from the moment at which a request was due.
SIGTERM has it send no more, and end once all are taken.
"""

import argparse
import asyncio
import json
import random
import signal
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import aiohttp

AGAIN_SECONDS = 0.5


def main() -> None:
    """Send, and print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", action="append", required=True, help="of a service; in turns, if several")
    parser.add_argument("--token", type=Path, required=True, help="file that holds it")
    parser.add_argument("--jobs", type=Path, required=True, help="file with kinds of jobs, a JSON list")
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--rate", type=float, required=True, help="jobs a second")
    parser.add_argument("--status-rate", type=float, default=0.0, help="questions a second")
    parser.add_argument("--taken", type=Path, help="file for a line each that was taken: kind and id")
    parser.add_argument("--prefix", default="load", help="of the keys")
    options = parser.parse_args()
    print(json.dumps(asyncio.run(Load(options).run())))


class Load:
    """One run."""

    def __init__(self, options: Any) -> None:
        self._options = options
        self._jobs: list[dict[str, Any]] = json.loads(options.jobs.read_text())
        self._bodies = [json.dumps(job).encode() for job in self._jobs]
        self._headers = {
            "Authorization": f"Bearer {options.token.read_text().strip()}",
            "Content-Type": "application/json",
        }
        self._taken: list[str] = []
        self._submitted: list[float] = []
        self._asked: list[float] = []
        self._again: dict[str, int] = {}
        self._file = options.taken.open("a") if options.taken else None

    async def run(self) -> dict[str, Any]:
        """Send all, and say what was seen."""
        connector = aiohttp.TCPConnector(limit=0)
        timeout = aiohttp.ClientTimeout(total=60)
        async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:
            enough = asyncio.Event()
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, enough.set)
            start = time.monotonic()
            asking = asyncio.create_task(self._ask(session))
            async with asyncio.TaskGroup() as group:
                for number in range(self._options.count):
                    due = start + number / self._options.rate
                    if (wait := due - time.monotonic()) > 0:
                        await asyncio.sleep(wait)
                    if enough.is_set():
                        break
                    group.create_task(self._submit(session, number, due))
            seconds = time.monotonic() - start
            asking.cancel()
            await asyncio.wait([asking])
        if self._file:
            self._file.close()
        return {
            "seconds": seconds,
            "taken": len(self._taken),
            "different": len(set(self._taken)),
            "a_second": len(self._taken) / seconds,
            "submission_ms": percentiles(self._submitted),
            "statuses": len(self._asked),
            "status_ms": percentiles(self._asked),
            "again": self._again,
        }

    def _url(self, number: int) -> str:
        urls = self._options.url
        return str(urls[number % len(urls)])

    async def _submit(self, session: aiohttp.ClientSession, number: int, due: float) -> None:
        """Send a job until it is taken."""
        kind = number % len(self._jobs)
        headers = {**self._headers, "Idempotency-Key": f"{self._options.prefix}-{number}"}
        tries = 0
        while True:
            try:
                async with session.post(
                    f"{self._url(number + tries)}/v1/jobs", data=self._bodies[kind], headers=headers
                ) as answer:
                    body = await answer.read()
                    why = str(answer.status)
                    if answer.status in (200, 201):
                        job = json.loads(body)["id"]
                        break
                    if answer.status not in (429, 500, 502, 503, 504):
                        raise SystemExit(f"a job is refused: {answer.status} {body!r}")
            except (aiohttp.ClientError, OSError, TimeoutError) as error:
                why = type(error).__name__
            self._again[why] = self._again.get(why, 0) + 1
            tries += 1
            await asyncio.sleep(AGAIN_SECONDS)
        self._submitted.append(time.monotonic() - due)
        self._taken.append(job)
        if self._file:
            self._file.write(f"{self._jobs[kind]['name']} {job}\n")
            self._file.flush()

    async def _ask(self, session: aiohttp.ClientSession) -> None:
        """Ask for jobs by chance, until the end."""
        if not self._options.status_rate:
            return
        async with asyncio.TaskGroup() as group:
            start, number = time.monotonic(), 0
            while True:
                due = start + number / self._options.status_rate
                number += 1
                await asyncio.sleep(max(due - time.monotonic(), 0.0))
                if self._taken:
                    group.create_task(self._status(session, random.choice(self._taken), number, due))

    async def _status(self, session: aiohttp.ClientSession, job: str, number: int, due: float) -> None:
        try:
            async with session.get(f"{self._url(number)}/v1/jobs/{job}", headers=self._headers) as answer:
                await answer.read()
                if answer.status == 200:
                    self._asked.append(time.monotonic() - due)
                    return
                why = f"status {answer.status}"
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            why = f"status {type(error).__name__}"
        self._again[why] = self._again.get(why, 0) + 1


def percentiles(seconds: Sequence[float]) -> dict[str, float]:
    """Of times, in milliseconds."""
    ordered = sorted(seconds)
    if not ordered:
        return {}
    return {
        name: round(1000 * ordered[min(int(len(ordered) * share), len(ordered) - 1)], 1)
        for name, share in {"p50": 0.5, "p99": 0.99, "p999": 0.999, "most": 1.0}.items()
    }


if __name__ == "__main__":
    main()
