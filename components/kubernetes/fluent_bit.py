"""Fluent Bit: the logs of every node and its pods, to S3, those of jobs apart from all others."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi

from components.kubernetes.chart import Chart, ChartArgs
from moka.catalog import Catalog
from moka.names import FLUENT_BIT_ACCOUNT


@dataclass(frozen=True, kw_only=True)
class FluentBitArgs:
    """What differs between clusters.

    namespace: it must allow privileged pods, for the nodes' folders.
    cluster: name, first part of every object's key.
    job_namespaces: the namespaces whose pods are jobs, drivers and executors.
    job_logs_bucket: where their logs go.
    system_logs_bucket: where logs of all other pods, and of nodes, go.
    region: of both buckets.
    """

    catalog: Catalog
    namespace: pulumi.Input[str]
    cluster: pulumi.Input[str]
    job_namespaces: Sequence[str]
    job_logs_bucket: pulumi.Input[str]
    system_logs_bucket: pulumi.Input[str]
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
                namespace=args.namespace,
                values={
                    "serviceAccount": {"name": FLUENT_BIT_ACCOUNT},
                    # The configuration in charts-values/fluent-bit.yaml names these.
                    "env": [
                        {"name": "CLUSTER", "value": args.cluster},
                        {"name": "JOB_LOGS", "value": log_patterns(args.job_namespaces)},
                        {"name": "JOB_LOGS_BUCKET", "value": args.job_logs_bucket},
                        {"name": "SYSTEM_LOGS_BUCKET", "value": args.system_logs_bucket},
                        {"name": "REGION", "value": args.region},
                        {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
                    ],
                },
            ),
            pulumi.ResourceOptions(parent=self),
        )
        self.namespace = chart.namespace
        self.register_outputs({"namespace": self.namespace})


def log_patterns(namespaces: Sequence[str]) -> str:
    """Patterns, for Fluent Bit, of the log files on a node of the pods in these namespaces.

    A file is named `<pod>_<namespace>_<container>-<id>.log`, and none of the names has an underscore.
    """
    return ",".join(f"/var/log/containers/*_{namespace}_*.log" for namespace in sorted(namespaces))
