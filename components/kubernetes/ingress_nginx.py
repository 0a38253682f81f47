"""ingress-nginx: the way in to web pages, by host, for those who have not yet moved to another."""

from dataclasses import dataclass

import pulumi

from moka.catalog import Catalog
from moka.components.kubernetes.chart import Chart, ChartArgs
from moka.components.kubernetes.ingress_load_balancer import ROLLOUT_SECONDS, Backend, controller_network

INGRESS_CLASS = "ingress-nginx"
"""Not `nginx`: that one belonged to the release of before, and classes are the whole cluster's."""

BACKEND = Backend(
    name="ingress-nginx",
    http="http",
    https="https",
    health=("http", 10254, "/healthz"),
    ports=(80, 443, 10254),
    metrics=10254,
)


@dataclass(frozen=True, kw_only=True)
class IngressNginxArgs:
    """What differs between clusters.

    namespace: of the controller, and of the Ingresses that it serves.
    tls: the load balancer in front speaks TLS with it; plain HTTP is redirected.
    catalog: pins, values and mirror of charts and images.
    """

    catalog: Catalog
    namespace: pulumi.Input[str]
    tls: bool


class IngressNginx(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:IngressNginx`.

    Makes: a Chart; NetworkPolicy `ingress-nginx`.
    Outputs: `ingress_class`, known only once it serves.
    """

    ingress_class: pulumi.Output[str]

    def __init__(self, name: str, args: IngressNginxArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:kubernetes:IngressNginx", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        network = controller_network(name, args.namespace, BACKEND, child)
        chart = Chart(
            name,
            ChartArgs(
                catalog=args.catalog,
                chart="ingress-nginx",
                namespace=args.namespace,
                values={
                    "controller": {
                        "ingressClass": INGRESS_CLASS,
                        "ingressClassResource": {"name": INGRESS_CLASS},
                        "config": {"force-ssl-redirect": str(args.tls).lower()},
                    }
                },
                seconds=ROLLOUT_SECONDS,
            ),
            pulumi.ResourceOptions(parent=self, depends_on=[network]),
        )
        self.ingress_class = chart.name.apply(lambda _: INGRESS_CLASS)
        self.register_outputs({"ingress_class": self.ingress_class})
