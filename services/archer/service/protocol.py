"""HTTP by httptools, with bounds on what a connection may cost before anything of it is known."""

import asyncio
import resource
from typing import ClassVar

import orjson
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from services.archer.service.context import CERTIFICATE_NAMES
from services.archer.service.problems import KINDS, MEDIA_TYPE, members

HEAD_BYTES = 64 * 1024
"""Of a request's line and headers: tokens may have 16 KiB. httptools itself has no bound."""

ARRIVAL_SECONDS = 60.0
"""In which a request has to arrive whole, from its connection or its first byte; uvicorn waits for ever."""

LINGER_SECONDS = 2.0

CONNECTIONS = 15_000
"""At a time; more than may wait (changes.py)."""

OTHER_FILES = 200
"""Besides connections: those of the database, of logs, of issuers."""


def connections() -> int:
    """Have as many files as the system lets this process have, and say how many connections that is."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return CONNECTIONS if most == resource.RLIM_INFINITY else max(min(CONNECTIONS, most - OTHER_FILES), 1)


class Protocol(HttpToolsProtocol):
    """Lets requests know whose certificate their connection has, and ends what is too large or too slow."""

    most: ClassVar[int] = CONNECTIONS
    seconds: ClassVar[float] = ARRIVAL_SECONDS

    _arriving: asyncio.TimerHandle | None = None
    _head = 0
    _refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Note the alternative names of a certificate that TLS has verified."""
        certificate = transport.get_extra_info("peercert") or {}
        names = frozenset(value for _, value in certificate.get("subjectAltName", ()))
        self.app_state = {**self.app_state, CERTIFICATE_NAMES: names}
        super().connection_made(transport)
        if len(self.connections) > self.most:
            self.refuse("too-many-connections", "Too many connections are open here: try again in a moment.")
        else:
            self._arrive()

    def data_received(self, data: bytes) -> None:
        """Take a part of a request."""
        if self._refused:
            return
        if self._arriving is None and (self.cycle is None or self.cycle.response_complete):
            self._arrive()
        super().data_received(data)
        if self._head >= 0 and not self._refused and not self.transport.is_closing():
            self._head += len(data)
            if self._head > HEAD_BYTES:
                self.refuse(
                    "long-headers",
                    f"The request line and headers are larger than {HEAD_BYTES // 1024} KiB: send smaller "
                    "ones.",
                )

    def on_message_begin(self) -> None:
        """A request begins."""
        self._head = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Its headers are there."""
        self._head = -1
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """It is there whole."""
        self._arrived()
        super().on_message_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing more arrives."""
        self._arrived()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP."""
        self.refuse("invalid-request", "This is no HTTP request that can be read: send another.")

    def refuse(self, kind: str, detail: str) -> None:
        """Answer before there is a request, and end the connection."""
        status, title = KINDS[kind]
        body = orjson.dumps(members(kind, detail))
        head = (
            f"HTTP/1.1 {status} {title}\r\ncontent-type: {MEDIA_TYPE}\r\ncontent-length: {len(body)}\r\n"
            "retry-after: 5\r\nconnection: close\r\n\r\n"
        )
        self._arrived()
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
            if self.cycle.response_started:
                self.transport.close()
                return
        self.transport.write(head.encode("ascii") + body)
        self._linger()

    def _linger(self) -> None:
        """Close, once the other end has: who sends into a closed connection does not read the answer."""
        self._refused = True
        if self.transport.can_write_eof():
            self.transport.write_eof()
            self.loop.call_later(LINGER_SECONDS, self.transport.abort)
        else:
            self.transport.close()

    def _arrive(self) -> None:
        self._arriving = self.loop.call_later(self.seconds, self._late)

    def _arrived(self) -> None:
        if self._arriving is not None:
            self._arriving.cancel()
            self._arriving = None

    def _late(self) -> None:
        self._arriving = None
        if not self.transport.is_closing():
            self.refuse("too-slow", f"A request has to be sent in {self.seconds:g} s: send it again.")
