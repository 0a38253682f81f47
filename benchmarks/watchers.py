"""`python -m benchmarks.watchers`: watches objects as programs of a cluster do.

Each has a connection of its own for each list. Prints `ready` once all watch, and at SIGTERM, as JSON, what
has come since: `events` and `bytes`, of all watchers.
"""

import argparse
import asyncio
import json
import signal
import ssl
from pathlib import Path

import aiohttp

FORMS = {
    "protobuf": "application/vnd.kubernetes.protobuf;stream=watch",
    "json": "application/json;stream=watch",
}
"""How client-go asks for Kubernetes' own objects, and for those of others' definitions."""

LENGTH_BYTES = 4
"""Before each event of protobuf: its length, most significant byte first."""


class Watchers:
    """What has come to all of them."""

    def __init__(self, session: aiohttp.ClientSession, form: str) -> None:
        self.events = self.bytes = 0
        self._session, self._form = session, form

    async def watch(self, url: str, version: str, ready: asyncio.Semaphore) -> None:
        """Watch a list from a version on, for ever."""
        query = {"watch": "1", "resourceVersion": version, "allowWatchBookmarks": "true"}
        async with self._session.get(url, params=query, headers={"Accept": FORMS[self._form]}) as answer:
            answer.raise_for_status()
            ready.release()
            rest = b""
            async for chunk in answer.content.iter_any():
                if self._form == "json":
                    self.events += chunk.count(b"\n")
                    self.bytes += len(chunk)
                else:
                    rest = self._count(rest + chunk)

    def _count(self, data: bytes) -> bytes:
        """Count whole events; what is left."""
        while len(data) >= LENGTH_BYTES:
            end = LENGTH_BYTES + int.from_bytes(data[:LENGTH_BYTES])
            if len(data) < end:
                break
            self.events += 1
            self.bytes += end
            data = data[end:]
        return data


async def run(options: argparse.Namespace) -> None:
    """Watch until SIGTERM."""
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    context = ssl.create_default_context(cafile=options.authority)
    headers = {"Authorization": f"Bearer {options.token.read_text().strip()}"}
    connector = aiohttp.TCPConnector(limit=0, ssl=context)
    timeout = aiohttp.ClientTimeout(total=None)
    async with aiohttp.ClientSession(connector=connector, headers=headers, timeout=timeout) as session:
        watchers, ready, tasks = Watchers(session, options.form), asyncio.Semaphore(0), []
        for path in options.paths:
            url = options.server + path
            async with session.get(url, params={"limit": "1"}) as answer:
                version = (await answer.json())["metadata"]["resourceVersion"]
            tasks += [
                asyncio.create_task(watchers.watch(url, version, ready)) for _ in range(options.watchers)
            ]
        for _ in tasks:
            await ready.acquire()
        print("ready", flush=True)
        await stop.wait()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    print(json.dumps({"events": watchers.events, "bytes": watchers.bytes}), flush=True)


def main() -> None:
    """Run until it is ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", required=True)
    parser.add_argument("--authority", type=Path, required=True)
    parser.add_argument("--token", type=Path, required=True)
    parser.add_argument("--watchers", type=int, required=True)
    parser.add_argument("--form", choices=FORMS, required=True)
    parser.add_argument("paths", nargs="+")
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
