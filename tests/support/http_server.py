"""HTTP servers in place of those that a program asks."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

Answer = Callable[[str, str, str], tuple[int, str]]
"""Method, path and body of a request -> status and body of the answer."""


class Handler(BaseHTTPRequestHandler):
    """What answers to requests have in common."""

    protocol_version = "HTTP/1.1"

    def reply(self, status: int, body: bytes, media_type: str = "application/json") -> None:
        """Send an answer."""
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


@contextmanager
def served(handler: type[BaseHTTPRequestHandler], address: str = "127.0.0.1") -> Iterator[int]:
    """Requests are answered by a handler each, on a port, which is yielded."""
    server = ThreadingHTTPServer((address, 0), handler)
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def http_server(answer: Answer) -> Iterator[int]:
    """A server on a port, which is yielded."""

    class Answers(Handler):
        def do_GET(self) -> None:
            self._reply("GET", "")

        def do_POST(self) -> None:
            self._take("POST")

        def do_PATCH(self) -> None:
            self._take("PATCH")

        def _take(self, method: str) -> None:
            assert self.headers["Content-Type"] == "application/json"
            self._reply(method, self.rfile.read(int(self.headers["Content-Length"])).decode())

        def _reply(self, method: str, body: str) -> None:
            status, text = answer(method, self.path, body)
            self.reply(status, text.encode())

    with served(Answers) as port:
        yield port


@contextmanager
def fixed_answers(answers: dict[str, object]) -> Iterator[tuple[int, list]]:
    """A server that answers some paths -> its port, and its requests as they come: method, path, body."""
    requests = []

    def answer(method: str, path: str, body: str) -> tuple[int, str]:
        requests.append((method, path, body))
        return 200 if path in answers else 404, str(answers.get(path, ""))

    with http_server(answer) as port:
        yield port, requests
