"""A collector of traces on loopback, which takes OTLP over HTTP as one does and shows what it got.

Built on OpenTelemetry's own messages (https://opentelemetry.io/docs/specs/otlp/#otlphttp).
"""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Status

from tests.support.http_server import Handler, served


@dataclass(frozen=True, kw_only=True)
class Span:
    """A span as it was received; ids in hexadecimal, times in nanoseconds since 1970."""

    service: str
    name: str
    trace: str
    id: str
    parent: str
    links: list[str]
    attributes: dict[str, Any]
    began: int
    ended: int
    failed: bool


@dataclass
class Receiver:
    """port: where it listens. spans: as they came."""

    port: int = 0
    spans: list[Span] = field(default_factory=list)

    @property
    def endpoint(self) -> str:
        """Its URL, as a program is told."""
        return f"http://127.0.0.1:{self.port}"

    def named(self, name: str) -> list[Span]:
        """Spans of a name."""
        return [span for span in self.spans if span.name == name]


@contextmanager
def otlp_receiver() -> Iterator[Receiver]:
    """A collector that takes everything."""
    receiver = Receiver()

    class Collector(Handler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            wanted = ("/v1/traces", "application/x-protobuf")
            known = (self.path, self.headers["Content-Type"]) == wanted
            if known:
                receiver.spans += _spans(ExportTraceServiceRequest.FromString(body))
            answer = ExportTraceServiceResponse().SerializeToString()
            self.reply(200 if known else 404, answer, "application/x-protobuf")

    with served(Collector) as receiver.port:
        yield receiver


def _spans(request: ExportTraceServiceRequest) -> Iterator[Span]:
    for resource in request.resource_spans:
        service = _attributes(resource.resource.attributes)["service.name"]
        for span in (span for scope in resource.scope_spans for span in scope.spans):
            yield Span(
                service=service,
                name=span.name,
                trace=span.trace_id.hex(),
                id=span.span_id.hex(),
                parent=span.parent_span_id.hex(),
                links=[link.trace_id.hex() for link in span.links],
                attributes=_attributes(span.attributes),
                began=span.start_time_unix_nano,
                ended=span.end_time_unix_nano,
                failed=span.status.code == Status.STATUS_CODE_ERROR,
            )


def _attributes(pairs: Any) -> dict[str, Any]:
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in pairs}
