"""The Spark Operator: makes drivers of SparkApplications."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi

from components.kubernetes.catalog import Catalog
from components.kubernetes.chart import Chart, ChartArgs
from components.kubernetes.job_namespace import SERVICE_ACCOUNT


@dataclass(frozen=True, kw_only=True)
class SparkOperatorArgs:
    """What differs between clusters.

    namespace: of the operator.
    job_namespaces: those whose applications it runs; they must be there.
    ui_domain: the UI of a running application is at `<application>.<its namespace>.<ui_domain>`.
    ingress_class: class of those UIs' Ingresses.
    """

    catalog: Catalog
    namespace: pulumi.Input[str]
    job_namespaces: Sequence[pulumi.Input[str]]
    ui_domain: str
    ingress_class: pulumi.Input[str]


class SparkOperator(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:SparkOperator`.

    Makes: a Chart, which brings the CRDs of SparkApplications.
    Outputs: `namespace`, known only once applications can be submitted.
    """

    namespace: pulumi.Output[str]

    def __init__(
        self, name: str, args: SparkOperatorArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("moka:kubernetes:SparkOperator", name, {}, opts)

        chart = Chart(
            name,
            ChartArgs(
                catalog=args.catalog,
                chart="spark-operator",
                release="spark-operator",
                namespace=args.namespace,
                values={
                    "spark": {
                        "jobNamespaces": list(args.job_namespaces),
                        "serviceAccount": {"name": SERVICE_ACCOUNT},
                    },
                    "controller": {
                        "uiIngress": {
                            "urlFormat": url_format(args.ui_domain),
                            "ingressClassName": args.ingress_class,
                        }
                    },
                },
            ),
            pulumi.ResourceOptions(parent=self),
        )
        self.namespace = chart.namespace
        self.register_outputs({"namespace": self.namespace})


def url_format(domain: str) -> str:
    """Host of an application's UI, as the operator's template; no path, so that nothing is rewritten."""
    return "{{$appName}}.{{$appNamespace}}." + domain
