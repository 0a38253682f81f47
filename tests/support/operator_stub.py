"""An operator played by a stub: it gives applications their states on a real API server, and runs nothing.

`python -m tests.support.operator_stub <server> <folder of credentials> <namespace> <longest> <ttl>`:
as a process, for jobs whose names say how they end. It outlives a loss of the API server, as the real one.
"""

import asyncio
import itertools
import random
import sys
from collections.abc import Callable, Coroutine, Mapping, Set
from pathlib import Path
from typing import Any

import aiohttp

from services.archer.worker.cluster import APPLICATIONS, applications
from services.common.kubernetes import Api, ApiError, ServiceAccount
from services.common.watch import Watch

EXIT_1 = "driver container failed with ExitCode: 1, Reason: Error"


Request = Callable[[], Coroutine[Any, Any, object]]


def ends_well(_: Mapping[str, Any]) -> tuple[str, str]:
    return "COMPLETED", ""


KINDS: Mapping[str, Callable[[int], tuple[str, str]]] = {
    "good": lambda _: ("COMPLETED", ""),
    "bad": lambda _: ("FAILED", EXIT_1),
    # By the infrastructure, and then well.
    "flaky": lambda attempt: ("FAILED", "driver pod not found") if attempt == 1 else ("COMPLETED", ""),
    "endless": lambda _: ("", ""),
}
"""First word of a name -> state and message with which an attempt ends."""


def by_name(item: Mapping[str, Any]) -> tuple[str, str]:
    """As an application's name says."""
    name = item["metadata"]["name"]
    return KINDS[name.partition("-")[0]](int(name.rpartition("-")[2]))


STATES = ("SUBMITTED", "RUNNING", "")
"""From new on; the last as the application ends."""


class OperatorStub:
    """Takes every application of a namespace from new to its end, each state once.

    Where there is more to do than it can, it goes on with those that it began: new ones wait.

    ends: state and message with which an application ends, by its metadata; an empty state for one that runs
        for ever.
    longest: seconds that it takes at most from state to state. ttl: after so many from its end it is deleted.
    """

    def __init__(
        self,
        api: Api,
        namespace: str,
        ends: Callable[[Mapping[str, Any]], tuple[str, str]] = ends_well,
        longest: float = 0.0,
        ttl: float | None = None,
    ) -> None:
        self.seen: dict[str, int] = {}
        """Name -> how many applications of it there were."""
        self._api = api
        self._namespace = namespace
        self._ends = ends
        self._longest = longest
        self._ttl = ttl
        self._uids: set[str] = set()
        self._gone: set[str] = set()
        self._queue: asyncio.Queue[Mapping[str, Any]] = asyncio.Queue()
        self._numbers, self._order = itertools.count(), itertools.count()
        self._requests: asyncio.PriorityQueue[tuple[int, int, Request, asyncio.Future[None]]] = (
            asyncio.PriorityQueue()
        )

    async def run(self, requests: int = 8) -> None:
        """Play for ever; so many requests at once."""
        watch = Watch(self._api, self._namespace, "sparkapplications", "", self, api_path=APPLICATIONS)
        async with asyncio.TaskGroup() as group:
            group.create_task(watch.run())
            for _ in range(requests):
                group.create_task(self._send())
            while True:
                group.create_task(self._play(await self._queue.get()))

    def observe(self, item: Mapping[str, Any], deleted: bool) -> None:
        metadata = item["metadata"]
        if deleted:
            self._gone.add(metadata["uid"])
        elif metadata["uid"] not in self._uids:
            self._uids.add(metadata["uid"])
            self.seen[metadata["name"]] = self.seen.get(metadata["name"], 0) + 1
            if not (item.get("status") or {}).get("applicationState"):
                kept = {key: value for key, value in item["metadata"].items() if key != "managedFields"}
                self._queue.put_nowait({"metadata": kept})

    def keep(self, namespace: str, uids: Set[str]) -> None:
        self._gone |= self._uids - uids

    async def _play(self, item: Mapping[str, Any]) -> None:
        spark_id = f"spark-{next(self._numbers)}"
        state, message = self._ends(item)
        for number, name in enumerate(STATES):
            if name or state:
                await asyncio.sleep(random.uniform(0, self._longest))
                await self.say(item, name or state, "" if name else message, spark_id, number)
        if state and self._ttl is not None:
            await asyncio.sleep(self._ttl)
            path = f"{applications(self._namespace)}/{item['metadata']['name']}"
            await self._insist(item, lambda: self._api.delete(path), len(STATES))

    async def say(
        self, item: Mapping[str, Any], state: str, message: str = "", spark_id: str = "", number: int = 0
    ) -> None:
        """Set the status of an application, unless it is gone; for as long as the API server is away.

        number: of the state, from new on.
        """
        status = {
            "applicationState": {"state": state, "errorMessage": message},
            "sparkApplicationId": spark_id,
            "driverInfo": {"podName": f"{item['metadata']['name']}-driver"},
            "lastSubmissionAttemptTime": None,
            "terminationTime": None,
        }
        path = f"{applications(self._namespace)}/{item['metadata']['name']}/status"
        patch = [{"op": "add", "path": "/status", "value": status}]
        await self._insist(item, lambda: self._api.patch(path, patch), number)

    async def _send(self) -> None:
        """Send requests for ever, one at a time: those of later states first."""
        while True:
            _, _, request, answer = await self._requests.get()
            try:
                await request()
            except Exception as error:
                answer.set_exception(error)
            else:
                answer.set_result(None)

    async def _insist(self, item: Mapping[str, Any], request: Request, number: int) -> None:
        """Send a request until it is answered, or its application is gone."""
        while True:
            answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._requests.put_nowait((-number, next(self._order), request, answer))
            try:
                await answer
                return
            except ApiError as error:
                # An API server that has just been started says so of what is there as well.
                if item["metadata"]["uid"] in self._gone:
                    return
                if error.status not in (401, 403, 404, 409, 422, 429) and error.status < 500:
                    raise
            except (aiohttp.ClientError, OSError, TimeoutError):
                pass
            await asyncio.sleep(1)


async def main(server: str, folder: str, namespace: str, longest: str, ttl: str) -> None:
    """Play until the process is ended."""
    async with Api(ServiceAccount(Path(folder), server)) as api:
        await OperatorStub(api, namespace, by_name, float(longest), float(ttl)).run()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
