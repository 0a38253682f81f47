"""kube-state-metrics: what Kubernetes knows of its objects, as metrics."""

from dataclasses import dataclass

import pulumi

from moka.catalog import Catalog
from moka.collectors.metric_names import KEPT_OBJECTS
from moka.components.kubernetes.chart import Chart, ChartArgs


@dataclass(frozen=True, kw_only=True)
class KubeStateMetricsArgs:
    """What differs between clusters.

    namespace: where it runs.
    shards: how many share the objects; each has those whose hash is its number.
    catalog: pins, values and mirror of charts and images.
    """

    catalog: Catalog
    namespace: pulumi.Input[str]
    shards: int = 1


class KubeStateMetrics(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:KubeStateMetrics`.

    Makes: a Chart.
    Outputs: `namespace`, known only once metrics are served.
    """

    namespace: pulumi.Output[str]

    def __init__(
        self, name: str, args: KubeStateMetricsArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("moka:kubernetes:KubeStateMetrics", name, {}, opts)

        sharded = {"replicas": args.shards, "autosharding": {"enabled": True}} if args.shards > 1 else {}
        chart = Chart(
            name,
            ChartArgs(
                catalog=args.catalog,
                chart="kube-state-metrics",
                namespace=args.namespace,
                values={"metricAllowlist": list(KEPT_OBJECTS), **sharded},
            ),
            pulumi.ResourceOptions(parent=self),
        )
        self.namespace = chart.namespace
        self.register_outputs({"namespace": self.namespace})
