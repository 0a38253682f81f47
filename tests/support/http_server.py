"""A server that stands in for what a command asks."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@contextmanager
def answering(answers: dict[str, object]) -> Iterator[tuple[int, list]]:
    """A server on a port, with what it was asked: method, path, body. It knows no other paths."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._reply("GET", "")

        def do_POST(self) -> None:
            assert self.headers["Content-Type"] == "application/json"
            self._reply("POST", self.rfile.read(int(self.headers["Content-Length"])).decode())

        def _reply(self, method: str, body: str) -> None:
            asked.append((method, self.path, body))
            self.send_response(200 if self.path in answers else 404)
            self.end_headers()
            self.wfile.write(str(answers.get(self.path, "")).encode())

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield server.server_address[1], asked
    finally:
        server.shutdown()
        server.server_close()
