"""A stand-in for S3 that has as many event logs as one likes: none of them is stored.

It answers what S3A asks while the History Server scans: lists by a thousand, and reading of an object. It is
no S3: moto sorts all keys for each answer, and so cannot be asked how a scan grows.
"""

import asyncio
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from threading import Thread

import zstandard
from aiohttp import web

from localcloud.loopback import free_port
from moka import event_logs
from tests.support.event_logs_in_s3 import log_text

NO_ID = "0" * 32
MODIFIED = 1_795_000_000
"""When all logs were written, in seconds since 1970."""

ETAG = '"d41d8cd98f00b204e9800998ecf8427e"'
HEADERS = {"ETag": ETAG, "Last-Modified": formatdate(MODIFIED, usegmt=True), "Accept-Ranges": "bytes"}
PAGE = 1_000


@dataclass
class ManyLogs:
    """Logs in `hot/`, called by numbers. count: how many. pause: seconds before each page of a list.
    began: moments at which a list of all was begun.
    lists, answering: requests for a page of a list, and seconds spent on them.
    reads, last_read: requests for objects, and the moment of the last.
    """

    bucket: str
    count: int
    port: int = 0
    pause: float = 0.0
    began: list[float] = field(default_factory=list)
    lists: int = 0
    answering: float = 0.0
    reads: int = 0
    last_read: float = 0.0

    def __post_init__(self) -> None:
        head, middle, tail = log_text(f"spark-{NO_ID}").partition(b'"SparkListenerApplicationStart"')
        line_end = tail.index(b"\n") + 1
        self._first = head + middle + tail[:line_end]
        self._rest = zstandard.ZstdCompressor().compress(tail[line_end:])
        self._size = len(self.content(0))

    @property
    def endpoint(self) -> str:
        """URL of the stand-in."""
        return f"http://127.0.0.1:{self.port}"

    def content(self, number: int) -> bytes:
        """A log: its id is in a frame that is not packed, so that all are of one size."""
        return _unpacked(self._first.replace(NO_ID.encode(), f"{number:032x}".encode())) + self._rest

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """What S3 says."""
        key = request.match_info["key"]
        if "list-type" in request.query:
            start = time.monotonic()
            await asyncio.sleep(self.pause)
            answer = self._list(request.query, start)
            self.lists, self.answering = self.lists + 1, self.answering + time.monotonic() - start
            return answer
        number = _number(key)
        if number is None or number >= self.count:
            return web.Response(status=404)
        if request.method == "GET":
            self.reads, self.last_read = self.reads + 1, time.monotonic()
        return self._object(request, self.content(number))

    def _object(self, request: web.Request, content: bytes) -> web.Response:
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", request.headers.get("Range", ""))
        if asked is None:
            return web.Response(body=content, headers=HEADERS)
        start, end = int(asked[1]), min(int(asked[2] or len(content)), len(content) - 1)
        headers = {**HEADERS, "Content-Range": f"bytes {start}-{end}/{len(content)}"}
        return web.Response(status=206, body=content[start : end + 1], headers=headers)

    def _list(self, query: Mapping[str, str], now: float) -> web.Response:
        prefix, first = query.get("prefix", ""), int(query.get("continuation-token", 0))
        size = min(int(query.get("max-keys", PAGE)), PAGE)
        total = self.count if prefix == event_logs.HOT else 0
        if prefix == event_logs.HOT and size == PAGE and first == 0:
            self.began.append(now)
        last = min(first + size, total)
        more = f"<NextContinuationToken>{last}</NextContinuationToken>" if last < total else ""
        body = "".join(self._entry(event_logs.hot_key(_log(number))) for number in range(first, last))
        if prefix == event_logs.HOT and first == 0:
            # What the gate puts there.
            body = self._entry(event_logs.HOT) + body
        return web.Response(
            content_type="application/xml",
            text='<?xml version="1.0" encoding="UTF-8"?>\n'
            '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
            f"<Name>{self.bucket}</Name><Prefix>{prefix}</Prefix><KeyCount>{last - first}</KeyCount>"
            f"<MaxKeys>{size}</MaxKeys><Delimiter>/</Delimiter>"
            f"<IsTruncated>{'true' if more else 'false'}</IsTruncated>{more}{body}</ListBucketResult>",
        )

    def _entry(self, key: str) -> str:
        return (
            f"<Contents><Key>{key}</Key>"
            f"<LastModified>{time.strftime('%Y-%m-%dT%H:%M:%S.000Z', time.gmtime(MODIFIED))}</LastModified>"
            f"<ETag>{ETAG}</ETag><Size>{self._size}</Size><StorageClass>STANDARD</StorageClass></Contents>"
        )


@contextmanager
def many_logs(bucket: str, count: int) -> Iterator[ManyLogs]:
    """A stand-in that answers on loopback, from a thread of its own."""
    logs = ManyLogs(bucket, count, free_port())
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        application = web.Application()
        application.router.add_route("*", f"/{bucket}{{slash:/?}}{{key:.*}}", logs.answer)
        runner = web.AppRunner(application, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", logs.port).start()

    loop.run_until_complete(serve())
    Thread(target=loop.run_forever, daemon=True).start()
    try:
        yield logs
    finally:
        loop.call_soon_threadsafe(loop.stop)


def wait_for_scans(logs: ManyLogs, number: int) -> None:
    """Wait until so many scans more have begun, and so the one before has ended."""
    wanted = len(logs.began) + number
    while len(logs.began) < wanted:
        time.sleep(0.01)


def wait_until_known(logs: ManyLogs) -> None:
    """Wait until a whole scan has read no log."""
    reads = -1
    while reads != logs.reads:
        reads = logs.reads
        wait_for_scans(logs, 2)


def _log(number: int) -> str:
    return f"spark-{number:032x}"


def _number(key: str) -> int | None:
    match = re.fullmatch(re.escape(event_logs.HOT) + r"spark-([0-9a-f]{32})\.zstd", key)
    return int(match[1], 16) if match else None


def _unpacked(content: bytes) -> bytes:
    """A frame of zstd with one block as it is (RFC 8878, sections 3.1.1 and 3.1.1.2)."""
    size = len(content)
    header = b"\x28\xb5\x2f\xfd\x60" + (size - 256).to_bytes(2, "little")
    return header + (1 | size << 3).to_bytes(3, "little") + content
