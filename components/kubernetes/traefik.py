"""Traefik: the way in to web pages, by host."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from moka.catalog import Catalog
from moka.components.kubernetes.chart import Chart, ChartArgs
from moka.components.kubernetes.ingress_load_balancer import ROLLOUT_SECONDS, Backend, controller_network
from moka.components.kubernetes.rbac import Right, grant, grant_everywhere

ACCOUNT = "traefik"
"""As the chart calls it."""

INGRESS_CLASS = "traefik"

BACKEND = Backend(
    name="traefik",
    http="web",
    https="websecure",
    health=("http", 8080, "/ping"),
    ports=(8000, 8080, 8443),
    metrics=9100,
)

LOOK = ("get", "list", "watch")
RIGHTS = (
    # It lists Secrets for certificates, and serves nothing until it may (traefik/traefik#7097).
    Right("", "services secrets configmaps", LOOK),
    Right("", "pods", ("get",)),
    Right("discovery.k8s.io", "endpointslices", ("list", "watch")),
    Right("networking.k8s.io", "ingresses", LOOK),
)
CLUSTER_RIGHTS = (
    Right("networking.k8s.io", "ingressclasses", LOOK),
    Right("", "nodes", LOOK),
)
"""Of v3.7.13, pkg/provider/kubernetes/ingress/client.go; the chart's own roles read the Secrets of every
namespace."""


@dataclass(frozen=True, kw_only=True)
class TraefikArgs:
    """What differs between clusters.

    namespace: of the controller, and of the Ingresses that it serves.
    tls: the load balancer in front speaks TLS with it; plain HTTP is redirected.
    catalog: pins, values and mirror of charts and images.
    """

    catalog: Catalog
    namespace: pulumi.Input[str]
    tls: bool


class Traefik(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:Traefik`.

    Makes: a Chart without its custom resources; Role and RoleBinding `traefik` in the namespace, ClusterRole
    and ClusterRoleBinding `traefik` for ingress classes and nodes; NetworkPolicy `traefik`.
    Outputs: `ingress_class`, known only once it serves.
    """

    ingress_class: pulumi.Output[str]

    def __init__(self, name: str, args: TraefikArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:kubernetes:Traefik", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        metadata = k8s.meta.v1.ObjectMetaArgs(name=ACCOUNT, namespace=args.namespace)
        everywhere = k8s.meta.v1.ObjectMetaArgs(name=ACCOUNT)
        subject = {"account": ACCOUNT, "account_namespace": args.namespace}
        rights = [
            grant(f"{name}-{ACCOUNT}", metadata, RIGHTS, child, **subject),
            grant_everywhere(f"{name}-{ACCOUNT}", everywhere, CLUSTER_RIGHTS, child, **subject),
        ]
        network = controller_network(name, args.namespace, BACKEND, child)
        chart = Chart(
            name,
            ChartArgs(
                catalog=args.catalog,
                chart="traefik",
                namespace=args.namespace,
                values=values(args),
                crds=False,
                seconds=ROLLOUT_SECONDS,
            ),
            # A pod is ready only with what it may read.
            pulumi.ResourceOptions(parent=self, depends_on=[*rights, network]),
        )
        self.ingress_class = chart.name.apply(lambda _: INGRESS_CLASS)
        self.register_outputs({"ingress_class": self.ingress_class})


def values(args: TraefikArgs) -> Mapping[str, Any]:
    """Of the release: which Ingresses it serves, and where."""
    served = {"asDefault": True}
    redirected = {
        "http": {"redirections": {"entryPoint": {"to": "websecure", "scheme": "https", "permanent": True}}}
    }
    return {
        "providers": {"kubernetesIngress": {"namespaces": [args.namespace]}},
        # What no entry point is named for goes to all of them otherwise, that of metrics included.
        "ports": {"web": redirected, "websecure": served} if args.tls else {"web": served},
    }
