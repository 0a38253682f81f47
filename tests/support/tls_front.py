"""TLS before a gateway, as the load balancer has it: a certificate for all hosts, and bytes passed on."""

import asyncio
import ssl
from contextlib import asynccontextmanager, suppress

import trustme


@asynccontextmanager
async def tls_front(hosts, port):
    """Port of 127.0.0.1 at which these hosts have TLS; what comes is passed on to another port there."""
    authority = trustme.CA()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert(*hosts).configure_cert(context)

    async def serve(reader, writer):
        with suppress(ConnectionError):
            inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", port)
            await asyncio.gather(_pass(reader, inner_writer), _pass(inner_reader, writer))

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


async def _pass(reader, writer):
    with suppress(ConnectionError, ssl.SSLError):
        while chunk := await reader.read(1 << 16):
            writer.write(chunk)
            await writer.drain()
    writer.close()
