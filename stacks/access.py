"""Layer access: the way in to UIs, by host name."""

from dataclasses import dataclass

import pulumi

from components.kubernetes.ingress_nginx import IngressNginx, IngressNginxArgs
from components.kubernetes.namespace import Namespace, NamespaceArgs
from stacks.on_cluster import OnCluster


@dataclass(frozen=True, kw_only=True)
class AccessOutputs:
    """ingress_class: class for the Ingresses of UIs, known once it is served."""

    ingress_class: pulumi.Input[str]


def deploy(where: OnCluster) -> AccessOutputs:
    """Make the ingress controller with its internal load balancer."""
    namespace = Namespace(f"{where.name}-ingress", NamespaceArgs(name="ingress-nginx"), where.opts)
    controller = IngressNginx(
        f"{where.name}-ingress",
        IngressNginxArgs(catalog=where.catalog, namespace=namespace.name),
        where.opts,
    )
    return AccessOutputs(ingress_class=controller.ingress_class)
