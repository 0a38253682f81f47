"""Health and metrics over HTTP: `/healthz` and `/metrics`."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from services.event_log_uploader.uploader import Uploader

PREFIX = "moka_event_log_uploader"


def metrics(uploader: Uploader) -> str:
    """The metrics in Prometheus' text format."""
    counts = uploader.counts
    rows = (
        (
            "behind_seconds",
            "gauge",
            "Age of the oldest change that is not in S3, at most.",
            uploader.behind_seconds,
        ),
        ("puts_total", "counter", "Objects written.", counts.puts),
        ("uploaded_bytes_total", "counter", "Bytes of them.", counts.uploaded_bytes),
        ("failures_total", "counter", "Rounds that did not upload all that there was.", counts.failures),
        (
            "credentials_failures_total",
            "counter",
            "Those of them for want of credentials or permission.",
            counts.credentials_failures,
        ),
        (
            "dropped_files_total",
            "counter",
            "Files of events that were emptied before they were in S3, as the volume was nearly full.",
            counts.dropped_files,
        ),
    )
    return "".join(
        f"# HELP {PREFIX}_{name} {text}\n# TYPE {PREFIX}_{name} {kind}\n{PREFIX}_{name} {float(value)}\n"
        for name, kind, text, value in rows
    )


@contextmanager
def served(listen: tuple[str, int], uploader: Uploader) -> Iterator[int]:
    """Serve both for as long as the context lasts -> the port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/metrics":
                self._reply(200, metrics(uploader))
            elif self.path == "/healthz":
                problem = uploader.problem()
                self._reply(503 if problem else 200, f"{problem or 'ok'}\n")
            else:
                self._reply(404, "there are /healthz and /metrics\n")

        def _reply(self, status: int, text: str) -> None:
            body = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nobody reads who asked."""

    server = ThreadingHTTPServer(listen, Handler)
    server.daemon_threads = True
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
