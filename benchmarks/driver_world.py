"""`python -m benchmarks.driver_world`: an API server with driver pods, their UIs, and a bucket, as a gateway
sees them.

Each driver has an address of its own in 127.1.0.0/16, where it serves 20 KiB at any path; `/<n>` after n ms.
`POST /drivers` on the address of the bucket makes another one, whose name it answers with.
"""

import argparse
import asyncio
import json
import ssl
from pathlib import Path
from typing import Any

from aiohttp import web

from moka.names import APPLICATION_ID_LABEL, APPLICATION_LABEL
from moka.pages import UI_PORT

NAMESPACE = "jobs"
PAGE = b"x" * 20 * 1024


class World:
    """Drivers, and who watches them."""

    def __init__(self, drivers: int) -> None:
        self.pods = [pod(number) for number in range(drivers)]
        self._watches: list[web.StreamResponse] = []

    async def pods_of_namespace(self, request: web.Request) -> web.StreamResponse:
        """List, by pages, or watch."""
        if request.query.get("watch"):
            return await self._watch(request)
        start, limit = int(request.query.get("continue") or 0), int(request.query["limit"])
        end = start + limit
        metadata = {"resourceVersion": "1", "continue": str(end) if end < len(self.pods) else ""}
        return web.json_response({"metadata": metadata, "items": self.pods[start:end]})

    async def _watch(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        self._watches.append(response)
        await asyncio.Event().wait()
        return response

    async def more(self, _: web.Request) -> web.Response:
        """A driver more, which whoever watches is told."""
        new = pod(len(self.pods))
        self.pods.append(new)
        await listen([new["status"]["podIP"]])
        event = json.dumps({"type": "ADDED", "object": new}).encode() + b"\n"
        for watch in self._watches:
            await watch.write(event)
        return web.Response(text=new["metadata"]["labels"][APPLICATION_LABEL])


def address(number: int) -> str:
    """Of a driver."""
    return f"127.1.{number // 250}.{number % 250 + 1}"


def pod(number: int) -> dict[str, Any]:
    """A driver that runs, of the size of a real one."""
    name = f"job-{number}"
    owner = {"kind": "SparkApplication", "name": name, "apiVersion": "sparkoperator.k8s.io/v1beta2"}
    return {
        "metadata": {
            "name": f"{name}-driver",
            "namespace": NAMESPACE,
            "uid": f"uid-{number}",
            "resourceVersion": str(number + 2),
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "labels": {
                "spark-role": "driver",
                APPLICATION_LABEL: name,
                APPLICATION_ID_LABEL: f"spark-{number:032x}",
            },
            "annotations": {"filler": "x" * 12_000},
            "ownerReferences": [owner],
        },
        "spec": {"containers": [{"name": "spark-kubernetes-driver"}]},
        "status": {"phase": "Running", "podIP": address(number)},
    }


async def listen(addresses: list[str]) -> None:
    """Serve UIs at these addresses."""

    async def page(request: web.BaseRequest) -> web.Response:
        await asyncio.sleep(int(request.path.strip("/") or 0) / 1000)
        return web.Response(body=PAGE, content_type="text/html")

    await asyncio.get_running_loop().create_server(web.Server(page), addresses, UI_PORT)


async def run(options: argparse.Namespace) -> None:
    """Serve for ever."""
    world = World(options.drivers)
    await listen([pod["status"]["podIP"] for pod in world.pods])
    api = web.Application()
    api.router.add_get("/api/v1/namespaces/{namespace}/pods", world.pods_of_namespace)
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(options.credentials / "server.crt", options.credentials / "server.key")
    bucket = web.Application()
    bucket.router.add_post("/drivers", world.more)
    bucket.router.add_put("/{key:.*}", lambda _: asyncio.sleep(0, web.Response()))
    for application, port, context in ((api, options.api, tls), (bucket, options.bucket, None)):
        runner = web.AppRunner(application, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port, ssl_context=context).start()
    await asyncio.Event().wait()


def main() -> None:
    """Run until it is ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--drivers", type=int, required=True)
    parser.add_argument("--credentials", type=Path, required=True)
    parser.add_argument("--api", type=int, required=True)
    parser.add_argument("--bucket", type=int, required=True)
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
