"""Ports of 127.0.0.1 for programs that are about to listen."""

import json
import random
import socket
import time

from localcloud.errors import Refusal
from localcloud.files import locked, write_private
from localcloud.tools import cache

# Below the ports that systems give to outgoing connections, which would take a port that is reserved.
PORTS = range(20000, 30000)

RESERVED_SECONDS = 60.0
"""A program listens by then: it has as long to become ready (`Process.start`)."""

_POLL_SECONDS = 0.05


def free_port() -> int:
    """A port on which no program listens, and that no call of this user's returned in the last minute.

    A port is chosen some time before its program listens; another program that chose the same would
    answer in its place, or keep it from starting.
    """
    cache.root().mkdir(parents=True, exist_ok=True)
    notes = cache.root() / "ports.json"
    with locked(notes.with_suffix(".lock")):
        now = time.time()
        ports = json.loads(notes.read_text()) if notes.is_file() else {}
        # A clock that was set back would reserve for longer.
        reservations = {port: at for port, at in ports.items() if abs(now - at) < RESERVED_SECONDS}
        for port in random.sample(PORTS, len(PORTS)):
            if str(port) not in reservations and not port_taken(port):
                write_private(notes, json.dumps({**reservations, str(port): now}))
                return port
    raise Refusal(f"Every port from {PORTS.start} to {PORTS.stop - 1} is taken: end programs that hold them.")


def port_stays_taken(port: int, timeout: float = 3) -> bool:
    """Whether a port is taken for longer than a program needs to free it that was killed just now."""
    deadline = time.monotonic() + timeout
    while taken := port_taken(port):
        if time.monotonic() > deadline:
            break
        time.sleep(_POLL_SECONDS)
    return taken


def port_taken(port: int) -> bool:
    """Whether a program listens on this port of 127.0.0.1."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False
