"""OpenTelemetry collectors: an agent on every node, which sends to a gateway."""

from dataclasses import dataclass

import pulumi

from components.kubernetes.chart import Chart, ChartArgs
from moka.catalog import Catalog, Values

GATEWAY_RELEASE = "opentelemetry-gateway"
AGENT_RELEASE = "opentelemetry-agent"


@dataclass(frozen=True, kw_only=True)
class OpenTelemetryArgs:
    """What differs between clusters.

    namespace: it must allow privileged pods, for the nodes' folders.
    cluster: name, on every metric.
    remote_write: URL that metrics are written to; without one, the gateway serves them on port 8889.
    """

    catalog: Catalog
    namespace: pulumi.Input[str]
    cluster: pulumi.Input[str]
    remote_write: pulumi.Input[str] | None = None


class OpenTelemetry(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:OpenTelemetry`.

    Makes: two Charts, the gateway (a Deployment) and the agents (a DaemonSet).
    Outputs: `namespace`, known only once metrics are read on every node; `endpoint` of the gateway (OTLP over
    gRPC), known once it takes them.
    """

    namespace: pulumi.Output[str]
    endpoint: pulumi.Output[str]

    def __init__(
        self, name: str, args: OpenTelemetryArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("moka:kubernetes:OpenTelemetry", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)

        gateway = Chart(
            f"{name}-gateway",
            ChartArgs(
                catalog=args.catalog,
                chart="opentelemetry-collector",
                release=GATEWAY_RELEASE,
                namespace=args.namespace,
                values={"alternateConfig": gateway_config(args.cluster, args.remote_write)},
            ),
            child,
        )
        self.endpoint = gateway.namespace.apply(lambda namespace: f"{GATEWAY_RELEASE}.{namespace}:4317")
        agent = Chart(
            f"{name}-agent",
            ChartArgs(
                catalog=args.catalog,
                chart="opentelemetry-collector",
                release=AGENT_RELEASE,
                namespace=args.namespace,
                values={"alternateConfig": {"exporters": {"otlp": {"endpoint": self.endpoint}}}},
            ),
            child,
        )

        self.namespace = agent.namespace
        self.register_outputs({"namespace": self.namespace, "endpoint": self.endpoint})


def gateway_config(cluster: pulumi.Input[str], remote_write: pulumi.Input[str] | None) -> Values:
    """What the program adds to the gateway's configuration: the cluster's name, and where metrics go."""
    cluster_name: Values = {
        "processors": {
            "resource": {"attributes": [{"key": "k8s.cluster.name", "value": cluster, "action": "upsert"}]}
        }
    }
    processors = ["memory_limiter", "resource", "batch"]
    pipelines: Values = {
        "metrics": {
            "processors": processors,
            "exporters": ["prometheusremotewrite" if remote_write else "prometheus"],
        },
        "traces": {"processors": processors},
    }
    exporters: Values = (
        {
            "exporters": {
                "prometheusremotewrite": {
                    "endpoint": remote_write,
                    "resource_to_telemetry_conversion": {"enabled": True},
                }
            }
        }
        if remote_write
        else {}
    )
    return {**cluster_name, **exporters, "service": {"pipelines": pipelines}}
