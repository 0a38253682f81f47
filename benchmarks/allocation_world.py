"""`python -m benchmarks.allocation_world`: a scheduler that gives out allocations at a rate, and its nodes.

It answers as YuniKorn does, from a ring, with the eight events that an allocation has in
tests/unit/moka/usage/recorded: four when it comes, four when it goes. Kubernetes answers for nodes, by TLS.
What is to be in the records at the end follows from the numbers here.
"""

import argparse
import asyncio
import json
import ssl
import time
from pathlib import Path

from aiohttp import web

from moka.names import WORKFLOW_LABEL

APPLICATIONS, WORKFLOWS, NODES = 2_000, 500, 2_000
EVENTS = 8
"""Of an allocation."""

RING, ANSWER = 500_000, 10_000
CPU = 2_000
"""Thousandths of a core that each allocation has."""

KINDS = ((2, "", 2, 201), (3, "node", 2, 303), (5, "user", 2, 603), (2, "", 2, 200))
ENDS = ((5, "user", 3, 603), (2, "", 3, 500), (3, "node", 3, 303), (2, "", 3, 100))
"""Type, whose, change and detail of the events."""

RESOURCE = json.dumps(
    {"resources": {"memory": {"value": 8 << 30}, "pods": {"value": 1}, "vcore": {"value": CPU}}},
    separators=(",", ":"),
)


class World:
    """A scheduler that starts to give out when it is asked first.

    rate: allocations a second. total: of them. running: at a time.
    """

    def __init__(self, rate: int, total: int, running: int) -> None:
        self.rate, self.total, self.running = rate, total, running
        self.started = 0.0
        self.began = time.time_ns() // 1_000_000 * 1_000_000

    @property
    def last(self) -> int:
        """Events that there are."""
        if not self.started:
            self.started = time.monotonic()
            self.began = time.time_ns() // 1_000_000 * 1_000_000
        allocations = int((time.monotonic() - self.started) * self.rate)
        return APPLICATIONS + EVENTS * min(allocations, self.total + self.running)

    def answer(self, start: int, count: int) -> bytes:
        """Of `/ws/v1/events/batch`."""
        last = self.last
        lowest = max(last - RING, 0)
        records: list[str] = []
        if lowest <= start < last:
            end = min(start + min(count, ANSWER), last)
            records += (_application(number, self.began) for number in range(start, min(end, APPLICATIONS)))
            first, after = max(start - APPLICATIONS, 0), max(end - APPLICATIONS, 0)
            events: list[str] = []
            for allocation in range(first // EVENTS, -(-after // EVENTS)):
                events += self._events(allocation)
            offset = first // EVENTS * EVENTS
            records += events[first - offset : after - offset]
        return (
            f'{{"InstanceUUID":"bench","LowestID":{lowest},"HighestID":{last - 1},'
            f'"EventRecords":[{",".join(records)}]}}'
        ).encode()

    def _events(self, allocation: int) -> list[str]:
        """Of one that comes, and of the one that goes meanwhile."""
        at = self.began + allocation * 1_000_000_000 // self.rate
        come = allocation if allocation < self.total else -1
        gone = allocation - self.running
        return [*_records(come, at, KINDS), *_records(gone, at, ENDS)]


def _records(allocation: int, at: int, kinds: tuple[tuple[int, str, int, int], ...]) -> list[str]:
    pod = f"0bcef69e-ab38-4800-b952-{max(allocation, 0):012}"
    name = f"daily-{allocation % APPLICATIONS}-1"
    node = f"ip-10-0-{allocation % NODES}.ec2.internal"
    records = []
    for kind, of, change, detail in kinds:
        if allocation < 0:
            kind, of, change, detail = 5, "user", 2, 603
        thing = node if of == "node" else "ada" if of else name
        records.append(
            f'{{"type":{kind},"objectID":"{thing}","timestampNano":{at},"eventChangeType":{change},'
            f'"eventChangeDetail":{detail},"referenceID":"{pod}","resource":{RESOURCE}}}'
        )
    return records


def _application(number: int, at: int) -> str:
    return (
        f'{{"type":4,"objectID":"{queue(number)}","timestampNano":{at},"eventChangeType":2,'
        f'"eventChangeDetail":405,"referenceID":"daily-{number}-1","resource":{{}}}}'
    )


def queue(number: int) -> str:
    """Of an application."""
    return f"root.acme.p{number % WORKFLOWS}.tier{number % 3 + 1}"


def application(name: str, submitted: int) -> bytes:
    """What the scheduler says of one."""
    number = int(name.split("-")[1])
    tags = {f"kubernetes.io/label/{WORKFLOW_LABEL}": f"daily-{number % WORKFLOWS}"}
    return json.dumps(
        {
            "applicationID": name,
            "queueName": queue(number),
            "submissionTime": submitted,
            "user": "ada",
            "allocations": [{"allocationTags": tags}],
        }
    ).encode()


def main() -> None:
    """Answer until it is ended."""
    parser = argparse.ArgumentParser(prog="allocation_world", description=__doc__)
    for name in ("scheduler-port", "api-port", "rate", "total", "running"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--credentials", type=Path, required=True)
    options = parser.parse_args()
    asyncio.run(_serve(World(options.rate, options.total, options.running), options))


async def _serve(world: World, options: argparse.Namespace) -> None:
    async def events(request: web.Request) -> web.Response:
        return _json(world.answer(int(request.query["start"]), int(request.query["count"])))

    async def application_answer(request: web.Request) -> web.Response:
        return _json(application(request.match_info["name"], world.began))

    async def completed(_: web.Request) -> web.Response:
        return _json(b"[]")

    async def node(request: web.Request) -> web.Response:
        number = int(request.match_info["name"].split(".")[0].split("-")[-1])
        kind = "m7g.4xlarge" if number % 2 else "m7i.4xlarge"
        return _json(
            json.dumps({"metadata": {"labels": {"node.kubernetes.io/instance-type": kind}}}).encode()
        )

    scheduler, api = web.Application(), web.Application()
    scheduler.add_routes(
        [
            web.get("/ws/v1/events/batch", events),
            web.get("/ws/v1/partition/default/application/{name}", application_answer),
            web.get("/ws/v1/partition/default/applications/completed", completed),
        ]
    )
    api.add_routes([web.get("/api/v1/nodes/{name}", node)])
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(options.credentials / "server.crt", options.credentials / "server.key")
    for served, port, context in ((scheduler, options.scheduler_port, None), (api, options.api_port, tls)):
        runner = web.AppRunner(served, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port, ssl_context=context).start()
    await asyncio.Event().wait()


def _json(body: bytes) -> web.Response:
    return web.Response(body=body, content_type="application/json")


if __name__ == "__main__":
    main()
