"""An operator played by a stub: it gives applications their states on a real API server, and runs nothing."""

import asyncio
import itertools
from collections.abc import Callable, Mapping, Set
from typing import Any

from services.archer.worker.cluster import APPLICATIONS, applications
from services.common.kubernetes import Api, ApiError
from services.common.watch import Watch

EXIT_1 = "driver container failed with ExitCode: 1, Reason: Error"


def ends_well(_: Mapping[str, Any]) -> tuple[str, str]:
    return "COMPLETED", ""


class OperatorStub:
    """Takes every application of a namespace from new to its end, each state once.

    ends: state and message with which an application ends; an empty state for one that runs for ever.
    """

    def __init__(
        self, api: Api, namespace: str, ends: Callable[[Mapping[str, Any]], tuple[str, str]] = ends_well
    ) -> None:
        self.seen: dict[str, int] = {}
        """Name -> how many applications of it there were."""
        self._api = api
        self._namespace = namespace
        self._ends = ends
        self._uids: set[str] = set()
        self._queue: asyncio.Queue[Mapping[str, Any]] = asyncio.Queue()
        self._numbers = itertools.count()

    async def run(self, workers: int = 4) -> None:
        watch = Watch(self._api, self._namespace, "sparkapplications", "", self, api_path=APPLICATIONS)
        async with asyncio.TaskGroup() as group:
            group.create_task(watch.run())
            for _ in range(workers):
                group.create_task(self._work())

    def observe(self, item: Mapping[str, Any], deleted: bool) -> None:
        metadata = item["metadata"]
        if not deleted and metadata["uid"] not in self._uids:
            self._uids.add(metadata["uid"])
            self.seen[metadata["name"]] = self.seen.get(metadata["name"], 0) + 1
            self._queue.put_nowait(item)

    def keep(self, namespace: str, uids: Set[str]) -> None:
        pass

    async def _work(self) -> None:
        while True:
            item = await self._queue.get()
            spark_id = f"spark-{next(self._numbers)}"
            state, message = self._ends(item)
            for name, words in (("SUBMITTED", ""), ("RUNNING", ""), (state, message)):
                if name:
                    await self.say(item, name, words, spark_id)

    async def say(self, item: Mapping[str, Any], state: str, message: str = "", spark_id: str = "") -> None:
        """Set the status of an application, unless it is gone."""
        status = {
            "applicationState": {"state": state, "errorMessage": message},
            "sparkApplicationId": spark_id,
            "driverInfo": {"podName": f"{item['metadata']['name']}-driver"},
            "lastSubmissionAttemptTime": None,
            "terminationTime": None,
        }
        path = f"{applications(self._namespace)}/{item['metadata']['name']}/status"
        try:
            await self._api.patch(path, [{"op": "add", "path": "/status", "value": status}])
        except ApiError as error:
            if error.status not in (404, 409, 422):
                raise
