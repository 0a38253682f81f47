"""How traces go to a collector, over OTLP, and which do."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import Decision, ParentBased, Sampler, SamplingResult
from opentelemetry.trace import Link, SpanContext, SpanKind, TraceState
from opentelemetry.util.types import Attributes

PATH = "/v1/traces"
"""Of a collector's receiver (https://opentelemetry.io/docs/specs/otlp/#otlphttp-request)."""

EXPORT_SECONDS = 5
"""For a collector to take what is sent; also the longest that a program waits for it when it ends."""

RANDOM_BITS = 56
"""The last of a trace's id, which are random (https://www.w3.org/TR/trace-context-2/#random-trace-id-flag)."""


@dataclass(frozen=True)
class Tracing:
    """What a program makes its spans with. share: of the traces that are kept, 0 to 1."""

    tracer: trace.Tracer
    share: float

    def keeps(self, trace_id: int) -> bool:
        """Whether spans of a trace are sent, the same in every program with this share."""
        return _keeps(trace_id, self.share)


OFF = Tracing(trace.NoOpTracer(), 0.0)
"""Of a program that was told of no collector."""


@asynccontextmanager
async def tracing(service: str, endpoint: str, share: float, environment: str) -> AsyncIterator[Tracing]:
    """Send spans for as long as the context lasts; what a collector does not take is dropped.

    endpoint: URL of a collector, without the path. share: of the traces that begin here, 0 to 1.
    """
    exporter = OTLPSpanExporter(f"{endpoint.rstrip('/')}{PATH}", timeout=EXPORT_SECONDS)
    provider = TracerProvider(
        sampler=ParentBased(_Share(share)),
        resource=Resource.create({"service.name": service, "deployment.environment.name": environment}),
        id_generator=_Ids(),
        shutdown_on_exit=False,
    )
    provider.add_span_processor(BatchSpanProcessor(exporter))
    try:
        yield Tracing(provider.get_tracer("moka"), share)
    finally:
        await asyncio.to_thread(provider.shutdown)


def _keeps(trace_id: int, share: float) -> bool:
    return trace_id & (1 << RANDOM_BITS) - 1 < share * (1 << RANDOM_BITS)


_identity: ContextVar[SpanContext | None] = ContextVar("identity", default=None)


@contextmanager
def identity(context: SpanContext) -> Iterator[None]:
    """The next span has these ids: those whose children are known before it is."""
    token = _identity.set(context)
    try:
        yield
    finally:
        _identity.reset(token)


class _Ids(RandomIdGenerator):
    def generate_trace_id(self) -> int:
        current = _identity.get()
        return current.trace_id if current else super().generate_trace_id()

    def generate_span_id(self) -> int:
        current = _identity.get()
        return current.span_id if current else super().generate_span_id()


class _Share(Sampler):
    """Keeps a share of the traces that begin here.

    `TraceIdRatioBased` looks at 64 bits of an id, of which those of a UUID are not all random.
    """

    def __init__(self, share: float) -> None:
        self._share = share

    def should_sample(
        self,
        parent_context: Context | None,
        trace_id: int,
        name: str,
        kind: SpanKind | None = None,
        attributes: Attributes = None,
        links: Sequence[Link] | None = None,
        trace_state: TraceState | None = None,
    ) -> SamplingResult:
        kept = _keeps(trace_id, self._share)
        return SamplingResult(Decision.RECORD_AND_SAMPLE if kept else Decision.DROP, attributes)

    def get_description(self) -> str:
        return f"a share of {self._share}"
