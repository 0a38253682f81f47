"""YuniKorn, the scheduler of jobs, and its queues."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from components.kubernetes.catalog import Catalog
from components.kubernetes.chart import Chart, ChartArgs
from components.kubernetes.queues import QueueTree, queues_yaml

SERVICE = "yunikorn-service"
"""Name that the chart gives its service, whatever the release is called."""


@dataclass(frozen=True, kw_only=True)
class YuniKornArgs:
    """What differs between clusters.

    namespace: of the scheduler and its queues.
    queues: the queue tree; a change is read at once, without a restart.
    job_namespaces: the namespaces whose pods YuniKorn schedules; all others keep Kubernetes' scheduler.
    """

    catalog: Catalog
    namespace: pulumi.Input[str]
    queues: QueueTree
    job_namespaces: Sequence[str]


class YuniKorn(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:YuniKorn`.

    Makes: ConfigMap `yunikorn-configs` (queues and what is admitted), a Chart.
    Outputs: `namespace` and `url` of its REST API within the cluster, known only once it schedules.
    """

    namespace: pulumi.Output[str]
    url: pulumi.Output[str]

    def __init__(self, name: str, args: YuniKornArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:kubernetes:YuniKorn", name, {}, opts)

        configs = k8s.core.v1.ConfigMap(
            name,
            # YuniKorn knows it by this name, in its own namespace.
            metadata=k8s.meta.v1.ObjectMetaArgs(name="yunikorn-configs", namespace=args.namespace),
            data={
                "queues.yaml": queues_yaml(args.queues),
                "admissionController.filtering.processNamespaces": only(args.job_namespaces),
            },
            opts=pulumi.ResourceOptions(parent=self),
        )
        chart = Chart(
            name,
            ChartArgs(
                catalog=args.catalog,
                chart="yunikorn",
                release="yunikorn",
                namespace=args.namespace,
                values={"yunikornDefaults": {"service.placeholderImage": args.catalog.image("pause")}},
            ),
            # Without queues it would start with its own, in which any namespace gets one.
            pulumi.ResourceOptions(parent=self, depends_on=[configs]),
        )

        self.namespace = chart.namespace
        self.url = chart.namespace.apply(lambda namespace: f"http://{SERVICE}.{namespace}:9080")
        self.register_outputs({"namespace": self.namespace, "url": self.url})


def only(namespaces: Sequence[str]) -> str:
    """Regular expressions, as YuniKorn's admission filter takes them, that match these namespaces alone."""
    return ",".join(f"^{namespace}$" for namespace in sorted(namespaces))
