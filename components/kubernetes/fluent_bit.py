"""Fluent Bit: the logs of every node and its pods, to S3."""

from dataclasses import dataclass

import pulumi

from components.kubernetes.catalog import Catalog
from components.kubernetes.chart import Chart, ChartArgs

SERVICE_ACCOUNT = "fluent-bit"
"""Whose pods must be allowed to put objects into the bucket, before they start."""


@dataclass(frozen=True, kw_only=True)
class FluentBitArgs:
    """What differs between clusters.

    namespace: it must allow privileged pods, for the nodes' folders.
    cluster: name, first part of every object's key.
    bucket, region: where logs go.
    """

    catalog: Catalog
    namespace: pulumi.Input[str]
    cluster: pulumi.Input[str]
    bucket: pulumi.Input[str]
    region: str


class FluentBit(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:FluentBit`.

    Makes: a Chart, a DaemonSet on every node, with service account `fluent-bit`.
    Outputs: `namespace`, known only once logs are read on every node.
    """

    namespace: pulumi.Output[str]

    def __init__(self, name: str, args: FluentBitArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:kubernetes:FluentBit", name, {}, opts)

        chart = Chart(
            name,
            ChartArgs(
                catalog=args.catalog,
                chart="fluent-bit",
                release="fluent-bit",
                namespace=args.namespace,
                values={
                    "serviceAccount": {"name": SERVICE_ACCOUNT},
                    # The configuration in charts-values/fluent-bit.yaml names these.
                    "env": [
                        {"name": "CLUSTER", "value": args.cluster},
                        {"name": "BUCKET", "value": args.bucket},
                        {"name": "REGION", "value": args.region},
                        {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
                    ],
                },
            ),
            pulumi.ResourceOptions(parent=self),
        )
        self.namespace = chart.namespace
        self.register_outputs({"namespace": self.namespace})
