"""A way to a server on loopback that a test cuts, closes, leads elsewhere, or lets stand still."""

import asyncio
import contextlib


class Relay:
    """Passes on what comes to its port, for as long as the context lasts.

    target: port of the server, which connections have that are made from then on.
    closed: whether connections are ended as soon as they are made.
    """

    def __init__(self, target: int) -> None:
        self.target = target
        self.closed = False
        self.port = 0
        self._moves = asyncio.Event()
        self._moves.set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> "Relay":
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=1024)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.cut()

    def cut(self) -> None:
        """Reset all connections."""
        for writer in self._writers:
            writer.transport.abort()

    def close(self) -> None:
        """Reset all connections, and each that is made until it is opened."""
        self.closed = True
        self.cut()

    def open(self) -> None:
        """Take connections again."""
        self.closed = False

    def stall(self) -> None:
        """Pass nothing on, and end nothing, as a network that is lost."""
        self._moves.clear()

    def resume(self) -> None:
        """Pass on what has come meanwhile, and go on."""
        self._moves.set()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._writers.add(writer)
        try:
            await self._moves.wait()
            if self.closed:
                return
            back, onward = await asyncio.open_connection("127.0.0.1", self.target)
            self._writers.add(onward)
            try:
                await asyncio.gather(self._pass(reader, onward), self._pass(back, writer))
            finally:
                onward.transport.abort()
                self._writers.discard(onward)
        except OSError:
            pass
        finally:
            writer.transport.abort()
            self._writers.discard(writer)
            self._tasks.discard(task)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            await self._moves.wait()
            writer.write(data)
            await writer.drain()
        with contextlib.suppress(OSError, RuntimeError):
            writer.write_eof()
