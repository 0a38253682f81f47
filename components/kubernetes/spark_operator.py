"""The Spark Operator: makes drivers of SparkApplications."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi

from components.kubernetes.chart import Chart, ChartArgs
from moka.catalog import Catalog, Values
from moka.names import SPARK_ACCOUNT
from moka.sizes.spark_operator import JVM_FLAGS, REPLICAS, OperatorSize, operator_size

CHART = "spark-operator"
"""Name of the chart, of its file of values, and of the first release."""


@dataclass(frozen=True, kw_only=True)
class SparkOperatorArgs:
    """What differs between clusters, and between the releases on one.

    namespace: of the operator.
    job_namespaces: those whose applications it runs; they must exist, and no other release may have them.
    ui_domain: the UI of a running application is at `<application>.<its namespace>.<ui_domain>`.
    ingress_class: class of those UIs' Ingresses.
    release: name of the release, with the chart's in it, so that all that it makes is named after it.
    applications_per_minute: that it can submit.
    owns_crds: it brings the definitions of SparkApplications up to date before its controller; one release on
        a cluster does, and others come after it.
    """

    catalog: Catalog
    namespace: pulumi.Input[str]
    job_namespaces: Sequence[pulumi.Input[str]]
    ui_domain: str
    ingress_class: pulumi.Input[str]
    release: str = CHART
    applications_per_minute: int = 20
    owns_crds: bool = True


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
                chart=CHART,
                release=args.release,
                values_file=CHART,
                namespace=args.namespace,
                values=release_values(args),
            ),
            pulumi.ResourceOptions(parent=self),
        )
        self.namespace = chart.namespace
        self.register_outputs({"namespace": self.namespace})


def release_name(name: str) -> str:
    """Name of a release of the settings, with the chart's name, which the chart would append otherwise."""
    return name if name == CHART else f"{CHART}-{name}"


def release_values(args: SparkOperatorArgs) -> Values:
    """Values of a release that its file does not have."""
    return {
        "hook": {"upgradeCrd": args.owns_crds},
        "spark": {
            "jobNamespaces": list(args.job_namespaces),
            "serviceAccount": {"name": SPARK_ACCOUNT},
        },
        "controller": {
            **size_values(operator_size(args.applications_per_minute)),
            "uiIngress": {
                "urlFormat": url_format(args.ui_domain),
                "ingressClassName": args.ingress_class,
            },
        },
    }


def size_values(size: OperatorSize) -> Values:
    """Values of the controller that its size decides."""
    memory = f"{size.memory_mib}Mi"
    return {
        "replicas": REPLICAS,
        "workers": size.workers,
        "kubeAPIQPS": size.calls,
        "kubeAPIBurst": size.calls_burst,
        "workqueueRateLimiter": {"bucketQPS": size.events, "bucketSize": size.events_burst},
        "env": [{"name": "SPARK_SUBMIT_OPTS", "value": JVM_FLAGS}],
        # No limit of CPU: what its node has left makes a burst pass sooner.
        "resources": {
            "requests": {"cpu": f"{size.millicores}m", "memory": memory},
            "limits": {"memory": memory},
        },
    }


def url_format(domain: str) -> str:
    """Host of an application's UI, as the operator's template; no path, so that nothing is rewritten."""
    return "{{$appName}}.{{$appNamespace}}." + domain
