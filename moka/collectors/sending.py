"""How metrics go from where they are read to the gateway, and from there to where they are kept.

Series stay in order without a store that sorts: an edge sends one request at a time and waits for its
answer, and the gateway answers only when the destination has. So only edges queue, on disk, and a gateway may
end at any time.
Keys: https://github.com/open-telemetry/opentelemetry-collector/tree/main/exporter/exporterhelper
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from moka.partition import domain

STORE_URL = "http://prometheus:9090/api/v1/otlp/v1/metrics"
"""Where a Prometheus beside the gateway takes metrics: https://prometheus.io/docs/guides/opentelemetry/."""

EDGE_SECONDS = 60
"""An edge waits for so long for the gateway's answer; then it sends the same again."""

GATEWAY_RETRY = {"initial_interval": "1s", "max_interval": "10s", "max_elapsed_time": "30s"}
"""Then, before the edge gives up, the error goes back, and the edge keeps what it was about."""

ExporterName = Literal["otlphttp", "prometheusremotewrite"]

REQUEST_SECONDS: Mapping[ExporterName, int] = {
    "otlphttp": 15,
    # For it the time of all tries. It must not be over before the edge's: what ends by it is taken for
    # permanent, and an edge drops that (contrib v0.158.0: prometheusremotewriteexporter/exporter.go).
    "prometheusremotewrite": 75,
}
"""Of a request of the gateway's, at most."""

RETRY_OF_429 = "exporter.prometheusremotewritexporter.RetryOn429"
"""Feature gate; without, what a store throttles is lost. Spelled as in the exporter's metadata.yaml."""

ITEMS = 8000
"""Points in a request: about 1 MiB."""

CLOUDWATCH_ITEMS = 200
"""Of CloudWatch's:
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/metrics-otel-send.html"""


@dataclass(frozen=True, kw_only=True)
class Otlp:
    """Any store or collector that takes OTLP over HTTP.

    endpoint: URL that `/v1/metrics` is added to.
    secret: Secret beside the gateway whose key `authorization` has the value of that header; none where no
    login is asked for.
    """

    endpoint: str
    secret: str | None = None


@dataclass(frozen=True, kw_only=True)
class RemoteWrite:
    """Prometheus' remote write; signed for Amazon Managed Prometheus where `workspace` has its ARN.

    url: to which series are written.
    workspace: of Amazon Managed Prometheus, where it is one.
    """

    url: str
    workspace: str | None = None


@dataclass(frozen=True, kw_only=True)
class CloudWatch:
    """CloudWatch's OTLP endpoint, of a region.

    region: of the endpoint, whose requests are signed.
    """

    region: str


@dataclass(frozen=True, kw_only=True)
class OwnStore:
    """A Prometheus beside the gateway."""


Destination = Otlp | RemoteWrite | CloudWatch | OwnStore


def workspace_url(arn: str) -> str:
    """Where a workspace of Amazon Managed Prometheus takes remote write.

    https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-onboard-ingest-metrics-remote-write-EC2.html
    """
    region, name = region_of(arn), arn.rpartition("/")[2]
    return f"https://aps-workspaces.{region}.{domain(region)}/workspaces/{name}/api/v1/remote_write"


def query_url(arn: str) -> str:
    """Where it is asked: Grafana adds `/api/v1/query`."""
    return workspace_url(arn).removesuffix("/api/v1/remote_write")


def region_of(arn: str) -> str:
    """Region in an ARN."""
    return arn.split(":")[3]


def edge_exporter(endpoint: Any, queue_bytes: int, items: int) -> dict[str, Any]:
    """Exporter `otlp` of an edge: what the gateway does not take waits on disk, as long as it fits."""
    return {
        "endpoint": endpoint,
        "tls": {"insecure": True},
        "compression": "zstd",
        "timeout": f"{EDGE_SECONDS}s",
        "sending_queue": {
            "storage": "file_storage",
            "num_consumers": 1,
            "sizer": "bytes",
            "queue_size": queue_bytes,
            "block_on_overflow": False,
            "batch": {
                "flush_timeout": "5s",
                "sizer": "items",
                "min_size": min(items, 2000),
                "max_size": items,
            },
        },
        "retry_on_failure": {"initial_interval": "1s", "max_interval": "60s", "max_elapsed_time": 0},
    }


def items_for(destination: Destination) -> int:
    """Points in a request, as the destination takes them: the gateway makes one of each that it gets."""
    return CLOUDWATCH_ITEMS if isinstance(destination, CloudWatch) else ITEMS


def gateway_parts(destination: Destination) -> dict[str, Any]:
    """Exporter and extensions of the gateway, with the pipeline that uses them."""
    name, exporter, signing = _exporter(destination)
    parts: dict[str, Any] = {
        "exporters": {
            name: exporter | {"timeout": f"{REQUEST_SECONDS[name]}s", "retry_on_failure": GATEWAY_RETRY}
        },
        "service": {"pipelines": {"metrics": {"exporters": [name]}}},
    }
    if signing:
        parts["extensions"] = {"sigv4auth": signing}
        parts["service"]["extensions"] = ["health_check", "sigv4auth"]
    return parts


def gateway_arguments(destination: Destination) -> list[str]:
    """Arguments of the gateway's program, besides its configuration."""
    return [f"--feature-gates={RETRY_OF_429}"] if isinstance(destination, RemoteWrite) else []


def _exporter(destination: Destination) -> tuple[ExporterName, dict[str, Any], dict[str, str] | None]:
    no_queue = {"sending_queue": {"enabled": False}, "compression": "gzip"}
    match destination:
        case Otlp():
            headers = {"headers": {"authorization": "${env:AUTHORIZATION}"}} if destination.secret else {}
            return "otlphttp", {"endpoint": destination.endpoint, **headers, **no_queue}, None
        case CloudWatch():
            region = destination.region
            url = f"https://monitoring.{region}.{domain(region)}/v1/metrics"
            signing = {"service": "monitoring", "region": region}
            return "otlphttp", {"metrics_endpoint": url, "auth": SIGNED, **no_queue}, signing
        case RemoteWrite():
            exporter = {"endpoint": destination.url, **REMOTE_WRITE}
            if destination.workspace is None:
                return "prometheusremotewrite", exporter, None
            signing = {"service": "aps", "region": region_of(destination.workspace)}
            return "prometheusremotewrite", exporter | {"auth": SIGNED}, signing
        case OwnStore():
            return "otlphttp", {"metrics_endpoint": STORE_URL, **no_queue}, None


SIGNED = {"authenticator": "sigv4auth"}

REMOTE_WRITE: dict[str, Any] = {
    "remote_write_queue": {"enabled": False},
    # More than one at a time would come out of order.
    "max_batch_request_parallelism": 1,
    "resource_to_telemetry_conversion": {"enabled": True, "exclude_service_attributes": True},
    "target_info": {"enabled": False},
    "disable_scope_info": True,
    # Names as in the own store.
    "add_metric_suffixes": False,
}
