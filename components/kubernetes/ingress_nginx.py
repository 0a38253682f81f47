"""ingress-nginx: the way in to web pages, by host."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi

from components.kubernetes.chart import Chart, ChartArgs
from components.kubernetes.load_balancer_controller import LOAD_BALANCER_CLASS
from moka.catalog import Catalog

ANNOTATION = "service.beta.kubernetes.io/aws-load-balancer"


@dataclass(frozen=True, kw_only=True)
class IngressNginxArgs:
    """What differs between clusters.

    namespace: of the controller.
    subnet_ids: subnets of the load balancer, one a zone.
    ingress_class: name of the class whose Ingresses it serves.
    internal: reached from within the VPC and what is connected to it, not from the internet.
    """

    catalog: Catalog
    namespace: pulumi.Input[str]
    subnet_ids: pulumi.Input[Sequence[str]]
    ingress_class: str = "nginx"
    internal: bool = True


class IngressNginx(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:IngressNginx`.

    Makes: a Chart, with a Service that a LoadBalancerController gives a network load balancer.
    Outputs: `namespace` and `ingress_class`, known only once it serves.
    """

    namespace: pulumi.Output[str]
    ingress_class: pulumi.Output[str]

    def __init__(self, name: str, args: IngressNginxArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:kubernetes:IngressNginx", name, {}, opts)

        scheme = "internal" if args.internal else "internet-facing"
        chart = Chart(
            name,
            ChartArgs(
                catalog=args.catalog,
                chart="ingress-nginx",
                namespace=args.namespace,
                values={
                    "controller": {
                        "ingressClass": args.ingress_class,
                        "ingressClassResource": {"name": args.ingress_class},
                        "service": {
                            "loadBalancerClass": LOAD_BALANCER_CLASS,
                            "annotations": {
                                f"{ANNOTATION}-scheme": scheme,
                                f"{ANNOTATION}-subnets": pulumi.Output.from_input(args.subnet_ids).apply(
                                    ",".join
                                ),
                            },
                        },
                    }
                },
            ),
            pulumi.ResourceOptions(parent=self),
        )
        self.namespace = chart.namespace
        self.ingress_class = chart.name.apply(lambda _: args.ingress_class)
        self.register_outputs({"namespace": self.namespace, "ingress_class": self.ingress_class})
