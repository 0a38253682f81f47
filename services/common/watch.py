"""Follows the objects of one kind in a namespace: lists them, then watches, and begins anew where it must.

It tells levels, not events: what an object is now, and, after each list, which objects there are at all.
"""

import asyncio
import logging
import time
from collections.abc import Set
from typing import Protocol

import aiohttp

from services.common.kubernetes import Api, ApiError, Object
from services.common.logs import fields

LIST_CHUNK = 250
"""Objects in a response when all of them are listed; a driver pod is about 15 KiB."""

QUIET_SECONDS = 150.0
"""A watch without a byte for so long is taken for dead; the API server sends a bookmark a minute."""

WATCH_SECONDS = 600
"""After so long the API server ends a watch, which is begun anew where it ended."""

BACKOFF_SECONDS = (1.0, 10.0)
"""Wait after the first failure, doubled with each further one, and the longest wait."""

NOT_SERVED = frozenset({403, 404})
"""Statuses of a namespace that is not there yet, or in which this service may not watch yet."""

CORE = "api/v1"
"""Path of the core API."""

log = logging.getLogger(__name__)


class Observer(Protocol):
    """Is told of the objects of a namespace."""

    def observe(self, item: Object, deleted: bool) -> None:
        """An object as it is now."""

    def keep(self, namespace: str, uids: Set[str]) -> None:
        """There are no others in the namespace."""


class Watch:
    """Watches one kind of object in a namespace.

    resource: `pods`. selector: of labels. api_path: of its API, the core API or `apis/<group>/<version>`.
    backoff: seconds; as BACKOFF_SECONDS. field_selector: of what the API server selects by.
    """

    def __init__(
        self,
        api: Api,
        namespace: str,
        resource: str,
        selector: str,
        observer: Observer,
        backoff: tuple[float, float] = BACKOFF_SECONDS,
        api_path: str = CORE,
        field_selector: str = "",
    ) -> None:
        self.namespace = namespace
        self.synced = False
        """Whether it has seen all objects once, or has learned that it may not."""
        self._api = api
        self._path = f"/{api_path}/namespaces/{namespace}/{resource}"
        self._selectors = {
            name: value
            for name, value in (("labelSelector", selector), ("fieldSelector", field_selector))
            if value
        }
        self._observer = observer
        self._backoff = backoff
        self._version = ""
        self._active = time.monotonic()

    @property
    def idle_seconds(self) -> float:
        """Time since the API server was last asked or said something."""
        return time.monotonic() - self._active

    async def run(self) -> None:
        """Watch for ever."""
        shortest, longest = self._backoff
        wait = shortest
        while True:
            try:
                if not self._version:
                    await self._list()
                await self._watch()
                wait = shortest
            except ApiError as error:
                self._version = ""
                if error.status in NOT_SERVED:
                    self._none_there()
                log.warning("watch refused", extra=fields(namespace=self.namespace, error=error))
            except (aiohttp.ClientError, OSError, TimeoutError, ValueError, KeyError) as error:
                log.warning("watch cut off", extra=fields(namespace=self.namespace, error=error))
            self._active = time.monotonic()
            # Also after a watch that ended as it should: one that ends at once must not be a burden.
            await asyncio.sleep(wait)
            wait = min(wait * 2, longest)

    async def _list(self) -> None:
        """Tell all objects."""
        uids: set[str] = set()
        token = ""
        while True:
            query = {**self._selectors, "limit": str(LIST_CHUNK)}
            page = await self._api.get(self._path, **query, **({"continue": token} if token else {}))
            if page is None:
                raise ApiError(404, f"404 for GET {self._path}")
            self._active = time.monotonic()
            for item in page["items"]:
                uids.add(item["metadata"]["uid"])
                self._observer.observe(item, False)
            token = page["metadata"].get("continue") or ""
            if not token:
                break
        self._observer.keep(self.namespace, uids)
        self.synced = True
        self._version = str(page["metadata"]["resourceVersion"])

    async def _watch(self) -> None:
        """Tell what changes until the API server ends the watch.

        Raises ApiError: 410 where the API server does not know the version any more from which to go on.
        """
        query = {
            "watch": "1",
            "allowWatchBookmarks": "true",
            **self._selectors,
            "resourceVersion": self._version,
            "timeoutSeconds": str(WATCH_SECONDS),
        }
        async for event in self._api.stream(self._path, QUIET_SECONDS, **query):
            self._active = time.monotonic()
            kind, item = event["type"], event["object"]
            if kind == "ERROR":
                raise ApiError(int(item.get("code") or 500), str(item.get("message")))
            self._version = str(item["metadata"]["resourceVersion"])
            if kind != "BOOKMARK":
                self._observer.observe(item, kind == "DELETED")

    def _none_there(self) -> None:
        self._observer.keep(self.namespace, frozenset())
        self.synced = True
