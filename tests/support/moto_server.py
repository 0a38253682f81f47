"""moto's server in a thread, as an AWS for programs that are not Python."""

from collections.abc import Iterator
from contextlib import contextmanager

from moto.server import ThreadedMotoServer

from localcloud.loopback import free_port


@contextmanager
def moto_server() -> Iterator[str]:
    """An AWS that is empty -> its address."""
    port = free_port()
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=port, verbose=False)
    server.start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.stop()
