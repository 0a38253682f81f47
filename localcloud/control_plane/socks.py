"""The part of SOCKS 5 (RFC 1928) that Go's HTTP client speaks: connections by address, without a password.

Go's client names to an HTTP proxy the host of the request's header, not the address that it would connect to;
who passes headers on, as an ingress controller does, needs this instead.
"""

import contextlib
import ipaddress
import shutil
import socket
import threading
from collections.abc import Callable
from io import RawIOBase

VERSION = b"\x05"
NO_PASSWORD = b"\x05\x00"
CONNECTED = b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00"
UNREACHABLE = b"\x05\x04\x00\x01\x00\x00\x00\x00\x00\x00"
BY_IPV4, BY_NAME = 1, 3


def serve(client: socket.socket, find: Callable[[str, int], int | None]) -> None:
    """Connect a client to where it wants to go; `find` is the port of 127.0.0.1 for a host and port."""
    with client.makefile("rb", buffering=0) as stream:
        stream.read(_byte(stream, skip=1))
        client.sendall(NO_PASSWORD)
        host, port = _destination(stream)
    local_port = find(host, port)
    if local_port is None:
        client.sendall(UNREACHABLE)
        return
    with socket.create_connection(("127.0.0.1", local_port)) as server:
        client.sendall(CONNECTED)
        back = threading.Thread(target=_pipe, args=(server, client), daemon=True)
        back.start()
        _pipe(client, server)
        back.join()


def _destination(stream: RawIOBase) -> tuple[str, int]:
    kind = _byte(stream, skip=3)
    if kind == BY_IPV4:
        host = str(ipaddress.IPv4Address(stream.read(4)))
    elif kind == BY_NAME:
        host = stream.read(_byte(stream)).decode()
    else:
        host = str(ipaddress.IPv6Address(stream.read(16)))
    return host, int.from_bytes(stream.read(2))


def _byte(stream: RawIOBase, skip: int = 0) -> int:
    """The next byte after some."""
    return stream.read(skip + 1)[-1]


def _pipe(source: socket.socket, target: socket.socket) -> None:
    """All that comes, to its end."""
    with contextlib.suppress(OSError), source.makefile("rb", buffering=0) as reading:
        with target.makefile("wb", buffering=0) as writing:
            shutil.copyfileobj(reading, writing)
        target.shutdown(socket.SHUT_WR)
