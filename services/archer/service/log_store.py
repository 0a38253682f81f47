"""Logs of jobs in S3, read a bit at a time: how long they are costs neither memory nor others their turn.

Objects are read in blocks, each a request of its own, so that a reader who is slow, or waits for more, keeps
no connection and no thread.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from moka.log_keys import TIME_FORMAT, LogObject, container_prefix, log_object
from moka.log_lines import UnreadableLogs, groups
from moka.log_text import group_pieces, joiner, text
from moka.submission.configuration import LogsPlace
from services.archer.service.problems import Problem
from services.common.logs import fields

READERS = 4
"""Threads that read: unpacking is work of this process, and others are to have their turn."""

READING = 200
"""Who may read, or follow, at a time; each takes some MiB at the most."""

BLOCK = 256 * 1024
"""Bytes of an object that are asked for at once."""

TOGETHER = 4
"""Objects at most whose lines are put in order together."""

CHUNK = 64 * 1024
"""Bytes of text that are given at once, or more."""

LOOK_SECONDS = 5.0
"""Between two looks for new objects."""

LATE = timedelta(minutes=10)
"""An object that comes so long after others that began later is not told any more to those who follow."""

PODS = 10_000
"""That are listed at most."""

T = TypeVar("T")

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Container:
    """A container of a pod: its cluster, and the prefix of its keys."""

    cluster: str
    prefix: str


@dataclass(frozen=True)
class _Stored:
    object: LogObject
    size: int


class LogStore:
    """The buckets of an environment's clusters. places: cluster -> where its logs are."""

    def __init__(self, places: Mapping[str, LogsPlace]) -> None:
        self._places = places
        self._clients: dict[str, Any] = {}
        self._readers = ThreadPoolExecutor(READERS, "logs")
        self._reading = 0

    def place(self, cluster: str) -> LogsPlace:
        """Where the logs of a cluster are. Raises Problem."""
        if cluster not in self._places:
            raise Problem("no-logs", f"Archer is not told where the logs of cluster {cluster} are.")
        return self._places[cluster]

    async def pods(self, cluster: str, prefix: str) -> list[str]:
        """Names of the pods below a prefix that has a folder for each. Raises Problem."""
        return await self._run(partial(self._pods, self.place(cluster), prefix))

    async def is_there(self, container: Container) -> bool:
        """Whether there are logs of a container. Raises Problem."""
        return bool(await self._run(partial(self._listing, container, "", 1)))

    @contextmanager
    def reader(self) -> Iterator[None]:
        """Count as one who reads. Raises Problem where there are too many."""
        if self._reading >= READING:
            raise Problem(
                "too-many-waits", f"{READING} read logs here: ask again in a moment.", {"Retry-After": "5"}
            )
        self._reading += 1
        try:
            yield
        finally:
            self._reading -= 1

    async def text(
        self,
        container: Container,
        *,
        times: bool,
        goes_on: Callable[[], Awaitable[bool]] | None = None,
    ) -> AsyncIterator[bytes]:
        """The log of a container as text, in parts of whole lines. Raises Problem.

        times: the time of each line before it. goes_on: asked between looks for more; None for what there is.
        A part is empty where there was a look, and nothing new.
        """
        lines = joiner()
        seen_keys: set[str] = set()
        after = ""
        last = False
        while True:
            new = await self._run(partial(self._new_entries, container, after, seen_keys))
            if new:
                seen_keys.update(entry.object.key for entry in new)
                after = max(after, _key_before(container, max(entry.object for entry in new)))
                seen_keys = {key for key in seen_keys if key > after}
                parts = self._text(container, new, lines, times)
                while part := await self._run(partial(next, parts, b"")):
                    yield part
            if goes_on is None or last:
                break
            # What was there when it ended is looked at once more.
            last = not await goes_on()
            if not last:
                yield b""
                await asyncio.sleep(LOOK_SECONDS)
        rest = b"".join(text(lines.flush(), times=times))
        if rest:
            yield rest

    async def _run(self, work: Callable[[], T]) -> T:
        """Do what takes a thread. Raises Problem."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._readers, work)
        except (BotoCoreError, ClientError) as error:
            log.warning("logs were not read", extra=fields(error=error))
            raise Problem(
                "logs-away",
                f"S3 does not give the logs ({error}): ask again in a moment.",
                {"Retry-After": "5"},
            ) from None

    def _new_entries(self, container: Container, after: str, seen_keys: set[str]) -> list[_Stored]:
        return [entry for entry in self._listing(container, after) if entry.object.key not in seen_keys]

    def _text(
        self, container: Container, entries: Sequence[_Stored], lines: Any, times: bool
    ) -> Iterator[bytes]:
        sizes = {entry.object: entry.size for entry in entries}
        chunks, size = [], 0
        for group in groups(sizes):
            for at in range(0, len(group), TOGETHER):
                together = group[at : at + TOGETHER]
                contents = [
                    self._blocks(container, s3_object.key, sizes[s3_object]) for s3_object in together
                ]
                try:
                    for part in text(lines.join(group_pieces(contents)), times=times):
                        chunks.append(part)
                        size += len(part)
                        if size >= CHUNK:
                            yield b"".join(chunks)
                            chunks, size = [], 0
                except UnreadableLogs as error:
                    keys = ", ".join(s3_object.key for s3_object in together)
                    log.warning("logs are unreadable", extra=fields(keys=keys, error=error))
                    chunks.append(f"[{keys} cannot be read: {error}]\n".encode())
        if chunks:
            yield b"".join(chunks)

    def _blocks(self, container: Container, key: str, size: int) -> Iterator[bytes]:
        place = self.place(container.cluster)
        for first in range(0, size, BLOCK):
            answer = self._client(place).get_object(
                Bucket=place.bucket, Key=key, Range=f"bytes={first}-{min(first + BLOCK, size) - 1}"
            )
            yield bytes(answer["Body"].read())

    def _listing(self, container: Container, after: str, most: int | None = None) -> list[_Stored]:
        place = self.place(container.cluster)
        pages = self._client(place).get_paginator("list_objects_v2")
        entries = []
        for page in pages.paginate(
            Bucket=place.bucket,
            Prefix=container.prefix,
            **({"StartAfter": after} if after else {}),
            PaginationConfig={"MaxItems": most},
        ):
            for entry in page.get("Contents", ()):
                if s3_object := log_object(entry["Key"]):
                    entries.append(_Stored(s3_object, entry["Size"]))
        return entries

    def _pods(self, place: LogsPlace, prefix: str) -> list[str]:
        pages = self._client(place).get_paginator("list_objects_v2")
        return [
            entry["Prefix"].removesuffix("/").rpartition("/")[2]
            for page in pages.paginate(
                Bucket=place.bucket, Prefix=prefix, Delimiter="/", PaginationConfig={"MaxItems": PODS}
            )
            for entry in page.get("CommonPrefixes", ())
        ]

    def _client(self, place: LogsPlace) -> Any:
        if place.region not in self._clients:
            # A session of its own: the default one is not for several threads.
            self._clients[place.region] = boto3.Session().client(
                "s3",
                region_name=place.region,
                config=Config(
                    max_pool_connections=READERS,
                    connect_timeout=5,
                    read_timeout=15,
                    retries={"mode": "standard", "total_max_attempts": 3},
                ),
            )
        return self._clients[place.region]


def container_of(place: LogsPlace, cluster: str, *parts: str) -> Container:
    """Of namespace, application, role, pod and container."""
    return Container(cluster, container_prefix(place.folder, *parts))


def _key_before(container: Container, last: LogObject) -> str:
    """A key before those of all objects that may still come to be told after this one."""
    return f"{container.prefix}{last.begun - LATE:{TIME_FORMAT}}"
