"""kube-state-metrics: what Kubernetes knows of its objects, as metrics."""

from dataclasses import dataclass

import pulumi

from components.kubernetes.chart import Chart, ChartArgs
from moka.catalog import Catalog


@dataclass(frozen=True, kw_only=True)
class KubeStateMetricsArgs:
    """namespace: where it runs."""

    catalog: Catalog
    namespace: pulumi.Input[str]


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

        chart = Chart(
            name,
            ChartArgs(
                catalog=args.catalog,
                chart="kube-state-metrics",
                namespace=args.namespace,
            ),
            pulumi.ResourceOptions(parent=self),
        )
        self.namespace = chart.namespace
        self.register_outputs({"namespace": self.namespace})
